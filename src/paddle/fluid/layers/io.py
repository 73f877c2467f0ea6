"""paddle.fluid.layers.io: inputs of programs."""

from refluid.layers.data import data as data
