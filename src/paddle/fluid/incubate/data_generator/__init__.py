"""paddle.fluid.incubate.data_generator: scripts that make the lines of data sets."""

from refluid.distributed.data_generator import (
    DataGenerator as DataGenerator,
    MultiSlotDataGenerator as MultiSlotDataGenerator,
    MultiSlotStringDataGenerator as MultiSlotStringDataGenerator,
)

__all__ = ["MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
