"""Padding and cropping."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core import unique_name
from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.program import default_main_program
from refluid.layers.numbers import is_variable, mixed, need_variable, stopped
from refluid.ops import registry
from refluid.params.state import make_state


def pad(x: Any, paddings: list[int], pad_value: float = 0.0, name: str | None = None) -> Any:
    """Put pad_value around x; paddings are [before, after] of each axis, one after the other."""
    return registry.get("pad")(x, name=name, paddings=list(paddings), pad_value=pad_value)


def pad2d(
    input: Any,
    paddings: Any = [0, 0, 0, 0],
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Pad images.

    Args:
        input: [N, C, H, W], or [N, H, W, C] with data_format="NHWC".
        paddings: [top, bottom, left, right], or a variable of four int32.
        mode: "constant" puts pad_value there, "reflect" mirrors the image, "edge" repeats its border.
    """
    if mode not in ("constant", "reflect", "edge"):
        raise ArgumentError(f"pad2d: mode must be 'constant', 'reflect' or 'edge', got {mode!r}")
    by_variable = is_variable(paddings)
    if not by_variable and len(paddings) != 4:
        raise ArgumentError(f"pad2d: paddings must be [top, bottom, left, right], got {paddings!r}")
    return registry.get("pad2d")(
        input, paddings if by_variable else None, name=name, paddings=[] if by_variable else list(paddings),
        mode=mode, pad_value=pad_value, data_format=data_format,
    )  # fmt: skip


def pad_constant_like(x: Any, y: Any, pad_value: float = 0.0, name: str | None = None) -> Any:
    """Put pad_value behind y in every axis, until it has the shape of x."""
    return registry.get("pad_constant_like")(x, y, name=name, pad_value=pad_value)


def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """The part of x that has this shape and begins at these offsets.

    Args:
        shape: sizes, or a variable whose own shape is meant.
        offsets: where the part begins in each axis; numbers, a variable of ints, or None for zeros.
    """
    if not is_variable(shape) and not isinstance(shape, list | tuple):
        raise ArgumentError(f"crop: shape must be a list of sizes or a variable, got {shape!r}")
    attrs: dict[str, Any] = {} if is_variable(shape) else {"shape": list(shape)}
    if not is_variable(offsets):
        attrs["offsets"] = [0] * len(x.shape) if offsets is None else list(offsets)
    return registry.get("crop")(
        x, shape if is_variable(shape) else None, offsets if is_variable(offsets) else None, name=name, **attrs
    )


def crop_tensor(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """The part of x that has this shape and begins at these offsets.

    Args:
        shape: sizes (-1: up to the end), among them variables of one int32, or one variable with all of them.
        offsets: where the part begins in each axis, likewise; None for zeros.
    """
    need_variable("crop_tensor: x", x)
    layer = LayerName("crop_tensor", name)
    result = layer.reserve()
    offsets = [0] * len(x.shape) if offsets is None else offsets
    starts, start_list, start_numbers = _parts("offsets", offsets, len(x.shape), layer)
    sizes, size_list, size_numbers = _parts("shape", shape, len(x.shape), layer)
    attrs: dict[str, Any] = {"offsets": start_numbers if starts is None else [-1] * len(x.shape)}
    if size_list is not None:  # -1 says "up to the end" here, so 0 stands for a variable
        attrs["shape"] = [0 if is_variable(given) else n for given, n in zip(shape, size_numbers, strict=True)]
    elif sizes is None:
        attrs["shape"] = size_numbers
    return registry.get("crop_tensor")(x, sizes, starts, size_list, start_list, name=result, **attrs)


def _parts(what: str, value: Any, rank: int, layer: LayerName) -> tuple[Any, list[Any] | None, list[int]]:
    """A shape or offsets as (one variable, a list of variables, numbers)."""
    if is_variable(value):
        return stopped(value), None, []
    if not isinstance(value, list | tuple) or len(value) != rank:
        raise ArgumentError(f"crop_tensor: {what} must have {rank} numbers, as many as x has axes, got {value!r}")
    numbers, variables = mixed(f"crop_tensor: {what}", value, layer)
    return None, variables, numbers


def random_crop(x: Any, shape: list[int], seed: Any = None) -> Any:
    """A part of this shape of every sample, each at a random place.

    Args:
        x: [N, ...]; the last axes are cropped, as many as shape has.
        seed: a number, or a variable of one int64 that goes on from crop to crop; random by default.
    """
    if seed is None:
        seed = default_main_program().random_seed or int(np.random.randint(-65536, 65536))
    attrs: dict[str, Any] = {"shape": list(shape)}
    if not is_variable(seed):
        attrs["startup_seed"] = int(seed)
        seed = make_state([1], "int64", int(seed), name=unique_name.generate("random_crop_seed"))
    out, _ = registry.get("random_crop")(x, seed, outs={"SeedOut": seed}, **attrs)
    return out
