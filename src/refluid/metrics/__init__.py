"""Metrics that accumulate over many batches."""
