"""Text, bytes and numbers that Python 2 and 3 treated differently (the functions of paddle.compat)."""

import math
from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError

long_type = int_type = int


def to_text(obj: object, encoding: str = "utf-8", inplace: bool = False) -> object:
    """Decode bytes, also inside a list, a set or a dict; anything else comes back as it is.

    Args:
        obj: what to decode.
        encoding: the encoding of the bytes.
        inplace: change the list, set or dict itself.
    Example:
        >>> to_text([b"fluid", "text", 1])
        ['fluid', 'text', 1]
    """
    return _convert(
        obj, lambda one: one.decode(encoding) if isinstance(one, bytes) else one, inplace, (list, set, dict)
    )


def to_bytes(obj: object, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Encode text, also inside a list or a set; bytes and None come back as they are.

    Example:
        >>> to_bytes(["fluid", b"bytes"])
        [b'fluid', b'bytes']
    """

    def encode(one: object) -> object:
        if one is None or isinstance(one, bytes):
            return one
        if not isinstance(one, str):
            raise ArgumentError(f"to_bytes: expected text, bytes or None, got {type(one).__name__}")
        return one.encode(encoding)

    return _convert(obj, encode, inplace, (list, set))


def _convert(obj: Any, convert: Callable[[Any], Any], inplace: bool, containers: Any) -> object:
    if not isinstance(obj, containers):
        return convert(obj)
    if isinstance(obj, dict):
        new: Any = {convert(key): convert(value) for key, value in obj.items()}
    else:
        new = (list if isinstance(obj, list) else set)(convert(item) for item in obj)
    if not inplace:
        return new
    obj.clear()
    obj.extend(new) if isinstance(obj, list) else obj.update(new)
    return obj


def round(x: float, d: int = 0) -> float:
    """Round half away from zero to d decimal places, as Python 2 did.

    Example:
        >>> [round(x) for x in (0.5, 1.5, 2.5, -2.5)]
        [1.0, 2.0, 3.0, -3.0]
    """
    scale = 10**d
    return math.copysign(math.floor(abs(x) * scale + 0.5) / scale, x) if x else 0.0


def floor_division(x: float, y: float) -> float:
    """x // y."""
    return x // y


def get_exception_message(exc: BaseException) -> str:
    """What an exception says."""
    return str(exc)
