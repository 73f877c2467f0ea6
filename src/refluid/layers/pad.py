"""Padding and cropping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import default_main_program
from refluid.layers.checks import is_variable, need_variable
from refluid.layers.common import ShapeLike, as_list
from refluid.layers.mixed import mixed, stopped
from refluid.ops import registry
from refluid.params.state import make_state


def pad(x: BaseVariable, paddings: Sequence[int], pad_value: float = 0.0, name: str | None = None) -> BaseVariable:
    """x padded with a constant.

    Args:
        x: a variable of any dtype with k axes.
        paddings: 2 * k ints: the padding before and after each axis in turn.
        pad_value: the constant.

    Returns:
        A variable of the padded shape.

    Example:
        >>> x = fluid.data("x", [None, 3])
        >>> fluid.layers.pad(x, [0, 0, 1, 2]).shape
        (-1, 6)
    """
    return registry.get("pad")(x, name=name, paddings=list(paddings), pad_value=pad_value)


def pad2d(
    input: BaseVariable,
    paddings: Sequence[int] | BaseVariable = [0, 0, 0, 0],
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> BaseVariable:
    """Images padded in height and width.

    Args:
        input: a variable of any dtype [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        paddings: [top, bottom, left, right], or an int32 variable [4].
        mode: "constant" pads with pad_value, "reflect" with the mirror image, "edge" with the border.
        pad_value: the constant.
        data_format: "NCHW" or "NHWC".

    Returns:
        A variable of the padded shape.

    Example:
        >>> x = fluid.data("x", [None, 3, 8, 8])
        >>> fluid.layers.pad2d(x, [1, 1, 2, 2], mode="reflect").shape
        (-1, 3, 10, 12)
    """
    if mode not in ("constant", "reflect", "edge"):
        raise ArgumentError(f"pad2d: mode must be 'constant', 'reflect' or 'edge', got {mode!r}")
    tensor, numbers = (paddings, []) if is_variable(paddings) else (None, list(paddings))
    if tensor is None and len(numbers) != 4:
        raise ArgumentError(f"pad2d: paddings must be [top, bottom, left, right], got {paddings!r}")
    return registry.get("pad2d")(
        input, tensor, name=name, paddings=numbers, mode=mode, pad_value=pad_value, data_format=data_format,
    )  # fmt: skip


def pad_constant_like(
    x: BaseVariable, y: BaseVariable, pad_value: float = 0.0, name: str | None = None
) -> BaseVariable:
    """y padded with a constant at the end of every axis to the shape of x.

    Args:
        x: a variable of any dtype, whose shape is copied.
        y: a variable of any dtype with as many axes, none longer than that of x.
        pad_value: the constant.

    Returns:
        A variable of the shape of x and the dtype of y.
    """
    return registry.get("pad_constant_like")(x, y, name=name, pad_value=pad_value)


def crop(
    x: BaseVariable,
    shape: Sequence[int] | BaseVariable | None = None,
    offsets: Sequence[int] | BaseVariable | None = None,
    name: str | None = None,
) -> BaseVariable:
    """A part of x.

    Args:
        x: a variable of any dtype with k axes.
        shape: the k sizes of the part, or a variable of any dtype whose own shape is meant.
        offsets: the first index along each axis, ints or an int32 variable [k]; None for zeros.

    Returns:
        A variable of this shape and the dtype of x.

    Example:
        >>> x, like = fluid.data("x", [None, 5, 5]), fluid.data("like", [None, 3, 3])
        >>> fluid.layers.crop(x, shape=like, offsets=[0, 1, 1]).shape
        (-1, 3, 3)
    """
    if not is_variable(shape) and not isinstance(shape, list | tuple):
        raise ArgumentError(f"crop: shape must be a list of sizes or a variable, got {shape!r}")
    attrs: dict[str, Any] = {} if is_variable(shape) else {"shape": list(shape)}
    if not is_variable(offsets):
        attrs["offsets"] = [0] * len(x.shape) if offsets is None else list(offsets)
    return registry.get("crop")(
        x, shape if is_variable(shape) else None, offsets if is_variable(offsets) else None, name=name, **attrs
    )


def crop_tensor(
    x: BaseVariable, shape: ShapeLike | None = None, offsets: ShapeLike | None = None, name: str | None = None
) -> BaseVariable:
    """A part of x, with sizes and offsets that may be variables.

    Args:
        x: a variable of any dtype with k axes.
        shape: the k sizes of the part (-1: up to the end), ints and one-element int32 variables, or an int32 variable
            with all of them.
        offsets: the first index along each axis, likewise; None for zeros.

    Returns:
        A variable of this shape and the dtype of x.
    """
    need_variable("crop_tensor: x", x)
    layer = LayerName("crop_tensor", name)
    result = layer.reserve()
    offsets = [0] * len(x.shape) if offsets is None else offsets
    starts, start_list, start_numbers = _parts("offsets", offsets, len(x.shape), layer)
    sizes, size_list, size_numbers = _parts("shape", shape, len(x.shape), layer)
    attrs: dict[str, Any] = {"offsets": start_numbers if starts is None else [-1] * len(x.shape)}
    if size_list is not None:  # -1 says "up to the end" here, so 0 stands for a variable
        attrs["shape"] = [0 if is_variable(size) else n for size, n in zip(as_list(shape), size_numbers, strict=True)]
    elif sizes is None:
        attrs["shape"] = size_numbers
    return registry.get("crop_tensor")(x, sizes, starts, size_list, start_list, name=result, **attrs)


def _parts(
    what: str, value: ShapeLike | None, rank: int, layer: LayerName
) -> tuple[BaseVariable | None, list[BaseVariable] | None, list[int]]:
    """A shape or offsets as (one variable, a list of variables, numbers)."""
    if is_variable(value):
        return stopped(value), None, []
    if not isinstance(value, list | tuple) or len(value) != rank:
        raise ArgumentError(f"crop_tensor: {what} must have {rank} numbers, as many as x has axes, got {value!r}")
    numbers, variables = mixed(f"crop_tensor: {what}", value, layer)
    return None, variables, numbers


def random_crop(x: BaseVariable, shape: Sequence[int], seed: int | BaseVariable | None = None) -> BaseVariable:
    """A random part of every sample, each at an offset of its own.

    Args:
        x: a variable of any dtype [N, ...]; the last axes are cropped, as many as shape has.
        shape: the sizes of the part.
        seed: an int, or an int64 variable [1] that every crop advances; None for the program's random_seed, or a
            random one.

    Returns:
        A variable [*leading axes of x, *shape].
    """
    if seed is None:
        seed = default_main_program().random_seed or int(np.random.randint(-65536, 65536))
    attrs: dict[str, Any] = {"shape": list(shape)}
    if not is_variable(seed):
        attrs["startup_seed"] = int(seed)
        seed = make_state([1], "int64", int(seed), name=unique_name.generate("random_crop_seed"))
    out, _ = registry.get("random_crop")(x, seed, outs={"SeedOut": seed}, **attrs)
    return out
