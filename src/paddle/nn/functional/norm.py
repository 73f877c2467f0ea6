"""paddle.nn.functional.norm: normalisation."""

from refluid.layers.norm import l2_normalize as l2_normalize, lrn as lrn
