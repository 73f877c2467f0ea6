"""paddle.fluid.proto: protobuf messages."""

from paddle.fluid.proto import (
    data_feed_pb2 as data_feed_pb2,
    framework_pb2 as framework_pb2,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
