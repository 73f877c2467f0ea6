"""The tables of operator cases that record_ops.py runs; one module per subject."""
