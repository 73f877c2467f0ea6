"""paddle.fluid.contrib.model_stat: what a program costs."""

from refluid.contrib.summary import summary as summary

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
