"""paddle.fluid.incubate.data_generator: scripts that make the lines of data sets."""

from refluid.distributed.data_generator import (
    DataGenerator as DataGenerator,
    MultiSlotDataGenerator as MultiSlotDataGenerator,
    MultiSlotStringDataGenerator as MultiSlotStringDataGenerator,
)

__all__ = ["MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]
