"""alpha: the functions of 2.0-alpha, with its argument names, where Fluid has none that are alike."""
