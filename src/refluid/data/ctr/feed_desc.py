"""DataFeedDesc: which slots files have, in the text form of Fluid's protocol buffers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.data.ctr.slots import Slot

_TOKEN = re.compile(r'\s*(?:#[^\n]*\n\s*)*("(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|-?[\d.]+|[{}:])')


class DataFeedDesc:
    """A description of files, read from one.

    Args:
        proto_file: the path of a text file with name, batch_size and multi_slot_desc.
    """

    def __init__(self, proto_file: str):
        with open(proto_file, encoding="utf-8") as file:
            fields = dict(_message(_tokens(file.read(), proto_file), proto_file))
        self.name = fields.get("name", "MultiSlotDataFeed")
        self.batch_size = int(fields.get("batch_size", 32))
        self.pipe_command = fields.get("pipe_command", "cat")
        described = [dict(value) for key, value in fields.get("multi_slot_desc", []) if key == "slots"]
        self.slots = [
            Slot(one["name"], one["type"], one.get("is_dense", False), (), one.get("is_used", False))
            for one in described
        ]

    def set_batch_size(self, batch_size: int) -> None:
        self.batch_size = batch_size

    def set_dense_slots(self, dense_slots_name: Sequence[str]) -> None:
        """Say which slots have the same number of values in every line; sparse is the default."""
        self._mark(dense_slots_name, dense=True)

    def set_use_slots(self, use_slots_name: Sequence[str]) -> None:
        """Say which slots are read; none is by default."""
        self._mark(use_slots_name, used=True)

    def _mark(self, names: Sequence[str], **marks: Any) -> None:
        known = {slot.name: i for i, slot in enumerate(self.slots)}
        for name in names:
            if name not in known:
                raise ArgumentError(f"DataFeedDesc: there is no slot {name!r}; it has {', '.join(known)}")
            self.slots[known[name]] = self.slots[known[name]]._replace(**marks)

    def desc(self) -> str:
        """The description as text."""
        return describe(self.name, self.batch_size, self.slots, self.pipe_command)


def describe(
    name: str, batch_size: int, slots: Sequence[Slot], pipe_command: str, every_field: bool = True, more: str = ""
) -> str:
    """Slots in the text form of Fluid's protocol buffers; without `every_field`, only what is not false."""
    lines = [f'name: "{name}"', f"batch_size: {batch_size}", "multi_slot_desc {"]
    for slot in slots:
        lines += ["  slots {", f'    name: "{slot.name}"', f'    type: "{slot.kind}"']
        fields = (("is_dense", slot.dense), ("is_used", slot.used))
        lines += [f"    {field}: {str(value).lower()}" for field, value in fields if value or every_field]
        lines += [f"    shape: {size}" for size in slot.shape if slot.dense]
        lines.append("  }")
    if not slots and not every_field:
        lines.pop()
    else:
        lines.append("}")
    return "\n".join([*lines, f'pipe_command: "{pipe_command}"', more])


def _tokens(text: str, path: str) -> Iterator[str]:
    offset = 0
    while text[offset:].strip():
        matched = _TOKEN.match(text, offset)
        if matched is None:
            raise ArgumentError(f"DataFeedDesc: {path}: cannot read {text[offset:].strip()[:40]!r}")
        yield matched.group(1)
        offset = matched.end()


def _message(tokens: Iterator[str], path: str) -> list[tuple[str, Any]]:
    """The fields of a message up to its closing brace, as (name, value)."""
    fields: list[tuple[str, Any]] = []
    for name in tokens:
        if name == "}":
            break
        mark = next(tokens, "the end")
        if mark == "{":
            fields.append((name, _message(tokens, path)))
        elif mark == ":":
            value = next(tokens, "")
            fields.append((name, _message(tokens, path) if value == "{" else _scalar(value)))
        else:
            raise ArgumentError(f"DataFeedDesc: {path}: expected ':' or '{{' after {name!r}, got {mark!r}")
    return fields


def _scalar(token: str) -> str | bool:
    if token.startswith('"'):
        return token[1:-1]
    return {"true": True, "false": False}.get(token, token)
