"""quantize: operators that act as if numbers were integers of a few bits, so that networks learn to bear it."""
