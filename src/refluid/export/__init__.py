"""The way out: saved models as ONNX files, as modules of plain PyTorch, and as drawings."""
