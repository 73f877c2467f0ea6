"""Fluid's profiler.proto as message classes: what its profiler wrote, and timeline tools read (profiler_pb2)."""

from __future__ import annotations

from refluid.saving.protobuf import Messages

_messages = Messages(
    "profiler.proto",
    "paddle.platform.proto",
    {
        "MemCopy": "1 bytes opt uint64",
        "Event": """8 type opt .Event.EventType
            1 name opt string
            2 start_ns opt uint64
            3 end_ns opt uint64
            5 device_id opt int64
            6 sub_device_id opt int64
            7 memcopy opt .MemCopy
            9 detail_info opt string""",
        "MemEvent": """1 start_ns opt uint64
            2 end_ns opt uint64
            3 bytes opt uint64
            4 place opt .MemEvent.Place
            5 thread_id opt uint64
            6 device_id opt uint32
            7 alloc_in opt string
            8 free_in opt string""",
        "Profile": """1 events rep .Event
            2 start_ns opt uint64
            3 end_ns opt uint64
            4 mem_events rep .MemEvent""",
    },
    enums={
        "Event.EventType": {"CPU": 0, "GPUKernel": 1},
        "MemEvent.Place": {"CUDAPlace": 0, "CPUPlace": 1, "CUDAPinnedPlace": 2},
    },
    text=True,
)

DESCRIPTOR = _messages.descriptor
MemCopy = _messages.message("MemCopy")
Event = _messages.message("Event")
MemEvent = _messages.message("MemEvent")
Profile = _messages.message("Profile")
