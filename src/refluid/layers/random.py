"""Random numbers, samples and permutations."""

from __future__ import annotations

from typing import Any

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName
from refluid.layers.common import dtype_attr
from refluid.layers.creation import OwnName, check_device
from refluid.layers.numbers import OwnConstants, cut_off, is_variable, mixed, positive, stopped, whole
from refluid.ops.random import gaussian_random as gaussians, randint as randints, uniform_random as uniforms
from refluid.ops.random.from_seed import shuffle_batch as shuffle_batch_op
from refluid.ops.random.sampling_id import sampling_id as sampling_id_op
from refluid.params.state import make_state


def uniform_random(shape: Any, dtype: Any = "float32", min: float = -1.0, max: float = 1.0, seed: int = 0) -> Any:
    """Numbers spread evenly over [min, max).

    Args:
        shape: a list of ints and one-element variables, or an int variable.
        seed: 0: the program's random_seed decides.
    """
    layer = LayerName("uniform_random")
    tensor, variables, attrs = _sizes(shape, layer, VarType.INT64)
    return uniforms.uniform_random(
        tensor, variables, name=layer, dtype=dtype_attr(dtype), min=min, max=max, seed=seed, **attrs
    )


def gaussian_random(shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32") -> Any:
    """Numbers of the normal distribution.

    Args:
        shape: a list of ints and one-element variables, or an int variable.
        seed: 0: the program's random_seed decides.
    """
    tensor, variables, attrs = _sizes(shape, OwnConstants("gaussian_random"), VarType.INT32)
    return gaussians.gaussian_random(tensor, variables, dtype=dtype_attr(dtype), mean=mean, std=std, seed=seed, **attrs)


def _sizes(shape: Any, layer: LayerName | OwnConstants, dtype: VarType) -> tuple[Any, Any, dict[str, Any]]:
    if is_variable(shape):
        return stopped(shape), None, {}
    numbers, variables = mixed(f"{layer.layer_type}: shape", cut_off(shape), layer, dtype)
    return None, variables, {"shape": numbers}


def uniform_random_batch_size_like(
    input: Any,
    shape: Any,
    dtype: Any = "float32",
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> Any:
    """As uniform_random, with axis output_dim_idx as long as axis input_dim_idx of input."""
    return uniforms.uniform_random_batch_size_like(
        input, shape=list(shape), input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, min=min,
        max=max, seed=seed, dtype=dtype_attr(dtype),
    )  # fmt: skip


def gaussian_random_batch_size_like(
    input: Any,
    shape: Any,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: Any = "float32",
) -> Any:
    """As gaussian_random, with axis output_dim_idx as long as axis input_dim_idx of input."""
    return gaussians.gaussian_random_batch_size_like(
        input, shape=list(shape), input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, mean=mean,
        std=std, seed=seed, dtype=dtype_attr(dtype),
    )  # fmt: skip


def sampling_id(x: Any, min: float = 0.0, max: float = 1.0, seed: int = 0, dtype: Any = "float32") -> Any:
    """For every row of probabilities [N, C] an index drawn by them.

    Args:
        min, max: the draw is a number of [min, max); the index is where the running sum of the row passes it.
        dtype: what Fluid declares the result as; it is int64 whatever is said here.
    """
    return sampling_id_op(x, min=min, max=max, seed=seed)


def randint(
    low: int,
    high: int | None = None,
    shape: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    stop_gradient: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Whole numbers of [low, high), or of [0, low) if high is not given; int64 unless told otherwise."""
    check_device("randint", device)
    low, high = whole("randint: low", low), None if high is None else whole("randint: high", high)
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise ArgumentError(f"randint: low must be smaller than high, got {low} and {high}")
    layer = LayerName("randint", name) if name is None else OwnName("randint", name)
    tensor, variables, attrs = _sizes([1] if shape is None else shape, layer, VarType.INT64)
    kind = _whole_kind("randint", "int64" if dtype is None else dtype)
    outs = None if out is None else {"Out": out}
    made = randints.randint(
        tensor, variables, name=layer, outs=outs, low=low, high=high, seed=seed, dtype=kind, **attrs
    )
    made.stop_gradient = stop_gradient
    return made


def randn(
    shape: Any,
    out: Any = None,
    dtype: Any = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """Numbers of the standard normal distribution; float32 unless told otherwise."""
    check_device("randn", device)
    layer = LayerName("randn", name)
    tensor, variables, attrs = _sizes(shape, layer, VarType.INT32)
    kind = dtype_attr("float32" if dtype is None else dtype)
    outs = None if out is None else {"Out": out}
    made = gaussians.gaussian_random(tensor, variables, name=layer, outs=outs, dtype=kind, **attrs)
    made.stop_gradient = stop_gradient
    return made


def randperm(
    n: int, out: Any = None, dtype: Any = "int64", device: str | None = None, stop_gradient: bool = True, seed: int = 0
) -> Any:
    """The numbers from 0 to n - 1 in random order."""
    check_device("randperm", device)
    n = positive("randperm: n", n)
    outs = None if out is None else {"Out": out}
    made = randints.randperm(outs=outs, n=n, dtype=_whole_kind("randperm", dtype), seed=seed)
    made.stop_gradient = stop_gradient
    return made


def _whole_kind(what: str, dtype: Any) -> int:
    kind = dtype_attr(dtype)
    if kind not in (VarType.INT32, VarType.INT64):
        raise DtypeError(f"{what}: dtype must be int32 or int64, got {dtype!r}")
    return kind


def shuffle_batch(x: Any, seed: Any = None) -> Any:
    """The rows (all axes but the last) in a random order.

    Args:
        seed: an int, or an int64 variable [1] that goes on from one shuffle to the next; None: the program's
            random_seed decides.
    """
    attrs: dict[str, Any] = {}
    if seed is None:
        seed = randint(1, 2**31 - 1)
    elif not is_variable(seed):
        attrs["startup_seed"] = seed
        seed = make_state([1], "int64", seed, name=unique_name.generate("shuffle_batch_seed"))
    return shuffle_batch_op(x, seed, outs={"SeedOut": seed}, **attrs)[0]
