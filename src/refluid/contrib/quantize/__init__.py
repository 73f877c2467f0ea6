"""quantize: networks trained to compute with integers of a few bits."""
