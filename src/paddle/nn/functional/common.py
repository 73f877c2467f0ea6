"""paddle.nn.functional.common: dropout, labels, padding, resizing."""

from refluid.layers.dropout import dropout as dropout
from refluid.layers.image import unfold as unfold
from refluid.layers.loss import label_smooth as label_smooth
from refluid.layers.pad import pad as pad, pad2d as pad2d, pad_constant_like as pad_constant_like
from refluid.layers.resize import interpolate as interpolate
from refluid.layers.tensor import assign as assign, fluid_one_hot as one_hot
