"""Pruning: networks with fewer filters."""
