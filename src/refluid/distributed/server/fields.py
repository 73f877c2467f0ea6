"""Fields of requests, as their handlers take them; one that is missing or of another kind is refused."""

from __future__ import annotations

from typing import Any

from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Message


def count_of(message: Message, name: str) -> int:
    return _of(message, name, int)


def text_of(message: Message, name: str) -> str:
    return _of(message, name, str)


def member_of(message: Message) -> tuple[int, str]:
    """The trainer that a request is from, and its session."""
    return count_of(message, "trainer"), text_of(message, "session")


def names_of(message: Message, name: str) -> list[str]:
    found = message.fields[name]
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise Refused("wire", f"{name} of a request {message.kind!r} must be names")
    return found


def _of(message: Message, name: str, kind: type) -> Any:
    value = message.fields[name]
    if type(value) is not kind:
        raise Refused("wire", f"{name} of a request {message.kind!r} must be {kind.__name__}")
    return value
