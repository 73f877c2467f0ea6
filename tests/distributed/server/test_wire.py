"""Messages between trainers and servers."""

from __future__ import annotations

import json
import random

import pytest
import torch

from refluid.distributed.server.wire import Message, WireError, decode, encode
from refluid.tensor.selected_rows import SelectedRows

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8]


def sample() -> Message:
    rows = SelectedRows.of(torch.tensor([5, 1, 5]), torch.arange(6.0).view(3, 2), 9)
    return Message("push", {"trainer": 1, "step": 7}, {"w": torch.arange(12.0).view(3, 4), "table": rows})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0, 4)])
def test_tensors_come_out_as_they_went_in(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    given = (torch.rand(shape) * 9).to(dtype)
    found = decode(encode(Message("x", {}, {"t": given}))).values["t"]
    assert found.dtype == dtype and found.shape == given.shape and torch.equal(found, given)


def test_rows_and_fields_come_out_as_they_went_in() -> None:
    found = decode(encode(sample()))
    assert (found.kind, found.fields) == ("push", {"trainer": 1, "step": 7})
    table = found.values["table"]
    assert (table.rows(), table.n_rows) == ([5, 1, 5], 9)
    assert torch.equal(table.value, torch.arange(6.0).view(3, 2))


def test_a_tensor_that_is_not_contiguous_travels() -> None:
    given = torch.arange(12.0).view(3, 4).t()
    assert torch.equal(decode(encode(Message("x", {}, {"t": given}))).values["t"], given)


def test_what_was_received_has_memory_of_its_own() -> None:
    data = encode(sample())
    decode(data).values["w"].add_(1)
    assert torch.equal(decode(data).values["w"], torch.arange(12.0).view(3, 4))


def with_header(header: object, rest: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return b"RFP1" + len(text).to_bytes(4, "little") + text + rest


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"RFP1\xff\xff\xff\x7f",
        b"RFP1" + (6).to_bytes(4, "little") + b"[" * 6,
        b"RFP1" + (200_000).to_bytes(4, "little") + b"[" * 200_000,
        with_header([]),
        with_header({"kind": 3, "fields": {}, "values": []}),
        with_header({"kind": "x", "fields": {}, "values": [["w", "float32", [1 << 40]]]}),
        with_header({"kind": "x", "fields": {}, "values": [["w", "float32", [0, 1 << 40, 1 << 40]]]}),
        with_header({"kind": "x", "fields": {}, "values": [["w", "float32", [-1]]]}),
        with_header({"kind": "x", "fields": {}, "values": [["w", "float32", [True]]]}, b"1234"),
        with_header({"kind": "x", "fields": {}, "values": [["w", "object", [1]]]}, b"12345678"),
        with_header({"kind": "x", "fields": {}, "values": [["w", "float32", [1], 2, 5]]}, b"1" * 20),
        with_header({"kind": "x", "fields": {}, "values": [["w", "uint8", [1]], ["w", "uint8", [1]]]}, b"12"),
        with_header({"kind": "x", "fields": {}, "values": []}, b"more"),
    ],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        decode(data)


def test_ten_thousand_damaged_messages_are_messages_or_refused() -> None:
    chance = random.Random(0)
    whole = encode(sample())
    for _ in range(10_000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            where = chance.randrange(len(data))
            what = chance.randrange(4)
            if what == 0:
                data[where] = chance.randrange(256)
            elif what == 1:
                del data[where : where + chance.randint(1, 20)]
            elif what == 2:
                data[where:where] = chance.randbytes(chance.randint(1, 20))
            else:
                data[where] ^= 1 << chance.randrange(8)
            if not data:
                break
        try:
            decode(bytes(data))
        except WireError:
            pass
