"""paddle.nn.layer.extension: layers for special uses."""

from refluid.alpha.nn.extension import RowConv as RowConv
