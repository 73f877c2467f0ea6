"""Random numbers, samples and permutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError
from refluid.core.naming import LayerName, OwnConstants, OwnName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import integer, is_variable, positive, truncated
from refluid.layers.common import ShapeLike, dtype_attr
from refluid.layers.creation import check_device
from refluid.layers.mixed import mixed, stopped
from refluid.ops.random import gaussian_random as gaussians, randint as randints, uniform_random as uniforms
from refluid.ops.random.from_seed import shuffle_batch as shuffle_batch_op
from refluid.ops.random.sampling_id import sampling_id as sampling_id_op
from refluid.params.state import make_state


def uniform_random(
    shape: ShapeLike, dtype: Dtype = "float32", min: float = -1.0, max: float = 1.0, seed: int = 0
) -> BaseVariable:
    """Random numbers of the uniform distribution over [min, max).

    Args:
        shape: a list of ints and one-element int64 variables, or an int variable.
        dtype: float32 or float64.
        min: the lower bound.
        max: the excluded upper bound.
        seed: 0 for the program's random_seed.

    Returns:
        A variable of this shape and dtype.

    Example:
        >>> fluid.layers.uniform_random([3, 4], min=0.0, max=1.0).shape
        (3, 4)
    """
    layer = LayerName("uniform_random")
    tensor, variables, attrs = _sizes(shape, layer, VarType.INT64)
    return uniforms.uniform_random(
        tensor, variables, name=layer, dtype=dtype_attr(dtype), min=min, max=max, seed=seed, **attrs
    )


def gaussian_random(
    shape: ShapeLike, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Dtype = "float32"
) -> BaseVariable:
    """Random numbers of the normal distribution.

    Args:
        shape: a list of ints and one-element int32 variables, or an int variable.
        mean: the mean.
        std: the standard deviation.
        seed: 0 for the program's random_seed.
        dtype: float32 or float64.

    Returns:
        A variable of this shape and dtype.
    """
    tensor, variables, attrs = _sizes(shape, OwnConstants("gaussian_random"), VarType.INT32)
    return gaussians.gaussian_random(tensor, variables, dtype=dtype_attr(dtype), mean=mean, std=std, seed=seed, **attrs)


def _sizes(
    shape: ShapeLike, layer: LayerName | OwnConstants, dtype: VarType
) -> tuple[BaseVariable | None, list[BaseVariable] | None, dict[str, Any]]:
    if is_variable(shape):
        return stopped(shape), None, {}
    numbers, variables = mixed(f"{layer.layer_type}: shape", truncated(shape), layer, dtype)
    return None, variables, {"shape": numbers}


def uniform_random_batch_size_like(
    input: BaseVariable,
    shape: Sequence[int],
    dtype: Dtype = "float32",
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> BaseVariable:
    """Random numbers of the uniform distribution over [min, max), with one axis as long as an axis of `input`.

    Args:
        input: the variable whose size is copied, of any dtype and shape.
        shape: the shape of the result; the number at output_dim_idx is ignored.
        dtype: float32 or float64.
        input_dim_idx: the axis of input.
        output_dim_idx: the axis of the result.
        min: the lower bound.
        max: the excluded upper bound.
        seed: 0 for the program's random_seed.

    Returns:
        A variable of this shape and dtype.

    Example:
        >>> x = fluid.data("x", [None, 13])
        >>> fluid.layers.uniform_random_batch_size_like(x, [-1, 11]).shape
        (-1, 11)
    """
    return uniforms.uniform_random_batch_size_like(
        input, shape=list(shape), input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, min=min,
        max=max, seed=seed, dtype=dtype_attr(dtype),
    )  # fmt: skip


def gaussian_random_batch_size_like(
    input: BaseVariable,
    shape: Sequence[int],
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: Dtype = "float32",
) -> BaseVariable:
    """Random numbers of the normal distribution, with one axis as long as an axis of `input`.

    Args:
        input: the variable whose size is copied, of any dtype and shape.
        shape: the shape of the result; the number at output_dim_idx is ignored.
        input_dim_idx: the axis of input.
        output_dim_idx: the axis of the result.
        mean: the mean.
        std: the standard deviation.
        seed: 0 for the program's random_seed.
        dtype: float32 or float64.

    Returns:
        A variable of this shape and dtype.
    """
    return gaussians.gaussian_random_batch_size_like(
        input, shape=list(shape), input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx, mean=mean,
        std=std, seed=seed, dtype=dtype_attr(dtype),
    )  # fmt: skip


def sampling_id(
    x: BaseVariable, min: float = 0.0, max: float = 1.0, seed: int = 0, dtype: Dtype = "float32"
) -> BaseVariable:
    """For every row of probabilities an index, drawn with these probabilities.

    Args:
        x: float probabilities [N, classes].
        min: the draw is uniform over [min, max); the index is where the cumulative sum of the row exceeds it.
        max: see min.
        seed: 0 for the program's random_seed.
        dtype: accepted; the result is int64.

    Returns:
        An int64 variable [N].
    """
    return sampling_id_op(x, min=min, max=max, seed=seed)


def randint(
    low: int,
    high: int | None = None,
    shape: ShapeLike | None = None,
    out: BaseVariable | None = None,
    dtype: Dtype | None = None,
    device: str | None = None,
    stop_gradient: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> BaseVariable:
    """Random integers of the uniform distribution over [low, high).

    Args:
        low: the lower bound; the upper one, from 0, if high is None.
        high: the excluded upper bound.
        shape: a list of ints and one-element int64 variables, or an int variable; None for [1].
        out: the variable that takes the result; None for a new one.
        dtype: int32 or int64; None for int64.
        device: "cpu", "gpu" or None; the result is where it is read.
        stop_gradient: the stop_gradient of the result.
        seed: 0 for the program's random_seed.

    Returns:
        A variable of this shape and dtype.

    Example:
        >>> with fluid.dygraph.guard():
        ...     numbers = paddle.randint(0, 10, shape=[2, 3]).numpy()
        >>> numbers.shape, bool((numbers < 10).all())
        ((2, 3), True)
    """
    check_device("randint", device)
    low, high = integer("randint: low", low), None if high is None else integer("randint: high", high)
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise ArgumentError(f"randint: low must be smaller than high, got {low} and {high}")
    layer = LayerName("randint", name) if name is None else OwnName("randint", name)
    tensor, variables, attrs = _sizes([1] if shape is None else shape, layer, VarType.INT64)
    kind = _whole_kind("randint", "int64" if dtype is None else dtype)
    outs = None if out is None else {"Out": out}
    out = randints.randint(tensor, variables, name=layer, outs=outs, low=low, high=high, seed=seed, dtype=kind, **attrs)
    out.stop_gradient = stop_gradient
    return out


def randn(
    shape: ShapeLike,
    out: BaseVariable | None = None,
    dtype: Dtype | None = None,
    device: str | None = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> BaseVariable:
    """Random numbers of the standard normal distribution.

    Args:
        shape: a list of ints and one-element int32 variables, or an int variable.
        out: the variable that takes the result; None for a new one.
        dtype: float32 or float64; None for float32.
        device: "cpu", "gpu" or None; the result is where it is read.
        stop_gradient: the stop_gradient of the result.

    Returns:
        A variable of this shape and dtype.
    """
    check_device("randn", device)
    layer = LayerName("randn", name)
    tensor, variables, attrs = _sizes(shape, layer, VarType.INT32)
    kind = dtype_attr("float32" if dtype is None else dtype)
    outs = None if out is None else {"Out": out}
    out = gaussians.gaussian_random(tensor, variables, name=layer, outs=outs, dtype=kind, **attrs)
    out.stop_gradient = stop_gradient
    return out


def randperm(
    n: int,
    out: BaseVariable | None = None,
    dtype: Dtype = "int64",
    device: str | None = None,
    stop_gradient: bool = True,
    seed: int = 0,
) -> BaseVariable:
    """A random permutation of the integers from 0 to n - 1.

    Args:
        n: the number of integers.
        out: the variable that takes the result; None for a new one.
        dtype: int32 or int64.
        device: "cpu", "gpu" or None; the result is where it is read.
        stop_gradient: the stop_gradient of the result.
        seed: 0 for the program's random_seed.

    Returns:
        A variable [n].
    """
    check_device("randperm", device)
    n = positive("randperm: n", n)
    outs = None if out is None else {"Out": out}
    out = randints.randperm(outs=outs, n=n, dtype=_whole_kind("randperm", dtype), seed=seed)
    out.stop_gradient = stop_gradient
    return out


def _whole_kind(what: str, dtype: Dtype) -> int:
    kind = dtype_attr(dtype)
    if kind not in (VarType.INT32, VarType.INT64):
        raise DtypeError(f"{what}: dtype must be int32 or int64, got {dtype!r}")
    return kind


def shuffle_batch(x: BaseVariable, seed: int | BaseVariable | None = None) -> BaseVariable:
    """The rows (all axes but the last flattened) in a random order.

    Args:
        x: a variable of any shape.
        seed: an int, or an int64 variable [1] that every shuffle advances; None for the program's random_seed.

    Returns:
        A variable of the shape and dtype of x.
    """
    attrs: dict[str, Any] = {}
    if seed is None:
        seed = randint(1, 2**31 - 1)
    elif not is_variable(seed):
        attrs["startup_seed"] = seed
        seed = make_state([1], "int64", seed, name=unique_name.generate("shuffle_batch_seed"))
    return shuffle_batch_op(x, seed, outs={"SeedOut": seed}, **attrs)[0]
