"""paddle.fluid.contrib: what was on its way into Fluid."""

from paddle.fluid.contrib import reader as reader
