"""layers: the functions that build a network, for both modes. They call operators and never ask for the mode."""
