"""paddle.tensor.attribute: the shape of tensors."""

from refluid.layers.shape import rank as rank, shape as shape
