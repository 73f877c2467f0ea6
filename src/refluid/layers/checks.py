"""Checks of arguments, for layer functions that programs write themselves (paddle.fluid.data_feeder)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, DtypeError
from refluid.eager.base import enabled
from refluid.eager.kinds import Variable


def convert_dtype(dtype: Any) -> str:
    """Fluid's spelling of a data type: convert_dtype(np.float32) is 'float32'."""
    try:
        return dtypes.dtype_name(dtype)
    except DtypeError as error:
        raise ArgumentError(f"convert_dtype: {error}") from None  # Fluid: a ValueError


def check_type(input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = "") -> None:
    """Refuse an argument of another type (or types); in the imperative mode nothing is looked at, as in Fluid."""
    if not enabled() and not isinstance(input, expected_type):
        kinds = expected_type if isinstance(expected_type, tuple) else (expected_type,)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise DtypeError(_more(f"{op_name}: {input_name} must be {wanted}, got {type(input).__name__}", extra_message))


def check_dtype(
    input_dtype: Any, input_name: str, expected_dtype: str | Iterable[str], op_name: str, extra_message: str = ""
) -> None:
    """Refuse a data type that is not among those expected; in the imperative mode nothing is looked at."""
    if enabled():
        return
    found = convert_dtype(input_dtype)
    wanted = [expected_dtype] if isinstance(expected_dtype, str) else list(expected_dtype)
    if found not in wanted:
        raise DtypeError(_more(f"{op_name}: {input_name} must be {' or '.join(wanted)}, got {found}", extra_message))


def check_variable_and_dtype(
    input: Any, input_name: str, expected_dtype: str | Iterable[str], op_name: str, extra_message: str = ""
) -> None:
    """Refuse what is no variable, of either mode, and one of another data type."""
    check_type(input, input_name, Variable, op_name, extra_message)
    check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def _more(text: str, extra: str) -> str:
    return f"{text}; {extra}" if extra else text
