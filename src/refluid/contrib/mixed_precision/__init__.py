"""mixed_precision: training that computes products in float16 and keeps parameters in float32."""
