"""transpile: programs rewritten for several processes."""
