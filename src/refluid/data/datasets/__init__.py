"""Data sets under Fluid's names. Files live in ~/.cache/paddle/dataset; nothing is read before a reader is made."""
