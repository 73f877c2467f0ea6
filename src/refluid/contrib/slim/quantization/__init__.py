"""Quantization: networks that compute with integers of a few bits."""
