"""paddle.fluid.layers.learning_rate_scheduler: learning rates that fall."""

from refluid.optim.schedules import (
    _decay_step_counter as _decay_step_counter,
    cosine_decay as cosine_decay,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    linear_lr_warmup as linear_lr_warmup,
    natural_exp_decay as natural_exp_decay,
    noam_decay as noam_decay,
    piecewise_decay as piecewise_decay,
    polynomial_decay as polynomial_decay,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
