"""paddle.fluid.contrib.model_stat: what a program costs."""

from refluid.contrib.summary import summary as summary
