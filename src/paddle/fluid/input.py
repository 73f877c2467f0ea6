"""paddle.fluid.input: embeddings and one-hot codes."""

from refluid.layers.embedding import fluid_embedding as embedding
from refluid.layers.tensor import fluid_one_hot as one_hot

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
