"""Layers and functions of 2.0-alpha whose arguments are its own."""
