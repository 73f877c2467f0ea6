"""Saved models as drawings: the operators of a program, laid out in layers, as SVG."""
