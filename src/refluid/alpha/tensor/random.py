"""Random numbers, and their seed."""

from __future__ import annotations

import torch

from refluid.alpha.common import into
from refluid.core import random
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.ir.program import default_main_program, default_startup_program
from refluid.layers.checks import integer, is_variable
from refluid.layers.common import ShapeLike, dtype_attr
from refluid.layers.creation import check_device
from refluid.layers.mixed import mixed, stopped
from refluid.ops.random.uniform_random import uniform_random


def rand(
    shape: ShapeLike,
    out: BaseVariable | None = None,
    dtype: Dtype | None = None,
    device: str | None = None,
    stop_gradient: bool = True,
) -> BaseVariable:
    """Random numbers from the uniform distribution over [0, 1).

    Args:
        shape: a list of ints and one-element variables, or a variable that holds the shape.
        out: the variable that takes the result; a new one if None.
        dtype: float32 or float64; float32 if None.
        device: "cpu", "gpu" or None; the result is where it is read anyway.
        stop_gradient: whether gradients stop at the result.

    Returns:
        A variable of that shape and dtype.
    """
    check_device("rand", device)
    layer = LayerName("uniform_random")
    whole, variables, attrs = None, None, {}
    if is_variable(shape):
        whole = stopped(shape)
    else:
        attrs["shape"], variables = mixed("rand: shape", shape, layer)
    kind = dtype_attr("float32" if dtype is None else dtype)
    result = uniform_random(whole, variables, name=layer, outs=into(out), dtype=kind, min=0.0, max=1.0, **attrs)
    result.stop_gradient = stop_gradient
    return result


def manual_seed(seed: int) -> torch.Generator:
    """Seed all random numbers: those of the default programs, and of what has no seed of its own.

    In the imperative mode the numbers that follow are those of the seed; a program begins with it at every run.

    Args:
        seed: an int.

    Returns:
        The generator of the imperative mode.
    """
    seed = integer("manual_seed: seed", seed)
    default_main_program().random_seed = seed
    default_startup_program().random_seed = seed
    return random.manual_seed(seed)
