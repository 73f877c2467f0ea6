"""paddle.fluid.proto.profiler.profiler_pb2: the messages of Fluid's profiler."""

from refluid.saving.profiler_messages import (
    DESCRIPTOR as DESCRIPTOR,
    Event as Event,
    MemCopy as MemCopy,
    MemEvent as MemEvent,
    Profile as Profile,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
