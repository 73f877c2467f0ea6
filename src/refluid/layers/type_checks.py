"""Checks of arguments, for layer functions that programs write themselves (paddle.fluid.data_feeder)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from refluid.core import dtypes
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.mode import per_mode
from refluid.core.types import Dtype
from refluid.eager.kinds import Variable


def convert_dtype(dtype: Dtype) -> str:
    """The name of a dtype: convert_dtype(np.float32) is "float32".

    Args:
        dtype: a dtype in any spelling.

    Returns:
        A str.
    """
    try:
        return dtypes.dtype_name(dtype)
    except DtypeError as error:
        raise ArgumentError(f"convert_dtype: {error.summary}") from None  # Fluid: a ValueError


@per_mode
def check_type(
    input: object, input_name: str, expected_type: type | tuple[type, ...], op_name: str, extra_message: str = ""
) -> None:
    """Raise an error if an argument has another type; no check in the imperative mode, as in Fluid.

    Args:
        input: the argument.
        input_name: its name.
        expected_type: a type, or a tuple of types.
        op_name: the function that checks.
        extra_message: appended to the error.

    Returns:
        None.
    """
    if not isinstance(input, expected_type):
        kinds = expected_type if isinstance(expected_type, tuple) else (expected_type,)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise DtypeError(_more(f"{op_name}: {input_name} must be {wanted}, got {type(input).__name__}", extra_message))


@check_type.imperative
def _take_any(
    input: object, input_name: str, expected_type: type | tuple[type, ...], op_name: str, extra_message: str = ""
) -> None:
    pass


@per_mode
def check_dtype(
    input_dtype: Dtype, input_name: str, expected_dtype: str | Iterable[str], op_name: str, extra_message: str = ""
) -> None:
    """Raise an error if a dtype is not among those expected; no check in the imperative mode, as in Fluid.

    Args:
        input_dtype: the dtype, in any spelling.
        input_name: the name of the argument.
        expected_dtype: the name of a dtype, or several.
        op_name: the function that checks.
        extra_message: appended to the error.

    Returns:
        None.
    """
    dtype = convert_dtype(input_dtype)
    wanted = [expected_dtype] if isinstance(expected_dtype, str) else list(expected_dtype)
    if dtype not in wanted:
        raise DtypeError(_more(f"{op_name}: {input_name} must be {' or '.join(wanted)}, got {dtype}", extra_message))


@check_dtype.imperative
def _take_any_dtype(
    input_dtype: Dtype, input_name: str, expected_dtype: str | Iterable[str], op_name: str, extra_message: str = ""
) -> None:
    pass


def check_variable_and_dtype(
    input: Any, input_name: str, expected_dtype: str | Iterable[str], op_name: str, extra_message: str = ""
) -> None:
    """Raise an error if an argument is no variable of either mode, or has another dtype.

    Args:
        input: the argument.
        input_name: its name.
        expected_dtype: the name of a dtype, or several.
        op_name: the function that checks.
        extra_message: appended to the error.

    Returns:
        None.
    """
    check_type(input, input_name, Variable, op_name, extra_message)
    check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def _more(text: str, extra: str) -> str:
    return f"{text}; {extra}" if extra else text
