"""Data sets that are read by index."""
