"""paddle.fluid.contrib.op_frequence: the operators of a program, counted."""

from refluid.contrib.frequency import op_freq_statistic as op_freq_statistic

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
