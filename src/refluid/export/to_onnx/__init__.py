"""Saved models as ONNX files: one mapper per operator, in one file per family."""
