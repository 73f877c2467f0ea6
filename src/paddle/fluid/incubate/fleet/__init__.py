"""paddle.fluid.incubate.fleet: trainings of several processes."""

__version__ = "0.1.0"
