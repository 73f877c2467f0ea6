"""paddle.fluid.contrib.op_frequence: the operators of a program, counted."""

from refluid.contrib.frequency import op_freq_statistic as op_freq_statistic
