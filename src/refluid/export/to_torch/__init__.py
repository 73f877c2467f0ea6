"""Saved models as modules of plain PyTorch: one readable source file and its weights."""
