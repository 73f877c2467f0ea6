"""paddle.nn.functional.learning_rate: learning rates that change, in static programs."""

from refluid.optim.schedules import (
    cosine_decay as cosine_decay,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    linear_lr_warmup as linear_lr_warmup,
    natural_exp_decay as natural_exp_decay,
    noam_decay as noam_decay,
    piecewise_decay as piecewise_decay,
    polynomial_decay as polynomial_decay,
)
