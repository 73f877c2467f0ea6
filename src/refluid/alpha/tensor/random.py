"""Random numbers, and their seed."""

from __future__ import annotations

from typing import Any

import torch

from refluid.alpha.common import into
from refluid.core import random
from refluid.core.naming import LayerName
from refluid.ir.program import default_main_program, default_startup_program
from refluid.layers.common import dtype_attr
from refluid.layers.creation import check_device
from refluid.layers.numbers import is_variable, mixed, stopped, whole
from refluid.ops.random.uniform_random import uniform_random


def rand(shape: Any, out: Any = None, dtype: Any = None, device: str | None = None, stop_gradient: bool = True) -> Any:
    """Numbers spread evenly over [0, 1).

    Args:
        shape: a list of ints and one-element variables, or an int variable.
        out: the variable that takes the result, if it is not to be a new one.
        dtype: float32 or float64; float32 unless given.
        device: "cpu", "gpu" or None; the result is where it is read anyway.
        stop_gradient: whether gradients end here.
    """
    check_device("rand", device)
    layer = LayerName("uniform_random")
    whole, variables, attrs = None, None, {}
    if is_variable(shape):
        whole = stopped(shape)
    else:
        attrs["shape"], variables = mixed("rand: shape", shape, layer)
    kind = dtype_attr("float32" if dtype is None else dtype)
    made = uniform_random(whole, variables, name=layer, outs=into(out), dtype=kind, min=0.0, max=1.0, **attrs)
    made.stop_gradient = stop_gradient
    return made


def manual_seed(seed: int) -> torch.Generator:
    """Seed everything random: the default programs, and what has no seed of its own.

    In the imperative mode the numbers that follow are those of the seed; a program begins with it at every run.
    """
    seed = whole("manual_seed: seed", seed)
    default_main_program().random_seed = seed
    default_startup_program().random_seed = seed
    return random.manual_seed(seed)
