"""paddle.fluid.proto.data_feed_pb2: descriptions of files of clicks."""

from refluid.saving.data_feed_messages import (
    DESCRIPTOR as DESCRIPTOR,
    DataFeedDesc as DataFeedDesc,
    MultiSlotDesc as MultiSlotDesc,
    Slot as Slot,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
