"""optim: optimizers, learning-rate schedules, clipping and regularizers, for both modes."""
