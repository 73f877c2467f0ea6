"""paddle.fluid.incubate: fleet and data generators."""

from paddle.fluid.incubate import data_generator as data_generator, fleet as fleet
