"""Runs of pointwise operators on small tensors that are one call of C++ code; see docs/decisions/0021."""
