"""quantize: fake quantization, for quantization-aware training."""
