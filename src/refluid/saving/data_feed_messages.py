"""Fluid's data_feed.proto as message classes: what describes the slots of files of clicks (data_feed_pb2)."""

from __future__ import annotations

from refluid.saving.protobuf import Messages

_messages = Messages(
    "data_feed.proto",
    "paddle.framework",
    {
        "Slot": """1 name req string
            2 type req string
            3 is_dense opt bool =false
            4 is_used opt bool =false
            5 shape rep int32""",
        "MultiSlotDesc": "1 slots rep .Slot",
        "DataFeedDesc": """1 name opt string
            2 batch_size opt int32 =32
            3 multi_slot_desc opt .MultiSlotDesc
            4 pipe_command opt string
            5 thread_num opt int32
            6 rank_offset opt string
            7 pv_batch_size opt int32 =32""",
    },
    enums={},
    text=True,
)

DESCRIPTOR = _messages.descriptor
Slot = _messages.message("Slot")
MultiSlotDesc = _messages.message("MultiSlotDesc")
DataFeedDesc = _messages.message("DataFeedDesc")
