"""slim: smaller models by pruning, quantization, distillation and search."""
