"""paddle.compat: text, bytes and numbers that Python 2 and 3 treated differently."""

from refluid.data.text import (
    floor_division as floor_division,
    get_exception_message as get_exception_message,
    int_type as int_type,
    long_type as long_type,
    round as round,
    to_bytes as to_bytes,
    to_text as to_text,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
