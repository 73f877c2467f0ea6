"""Initializers: how parameters get their first values. Each is one operator of the startup program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from refluid.core import dtypes
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, NotDefinedError, ShapeError
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.params.on_cpu import force_init_on_cpu

Op = tuple[str, dict[str, Any]]


class Initializer:
    """Base of initializers: `op(shape, dtype, seed)` names the operator that makes the value.

    A class that a program derives defines `__call__(var, block)` alone, which appends operators to the block.
    """

    _seed = 0

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        """The operator that makes the first value.

        Args:
            shape: the shape of the parameter.
            dtype: its dtype.
            seed: the seed of the program, for initializers without a seed of their own.

        Returns:
            The type of the operator and its attributes.
        """
        raise NotDefinedError(f"{type(self).__name__} must define op(shape, dtype, seed)")

    @property
    def is_derived(self) -> bool:
        return type(self).__call__ is not Initializer.__call__

    def __call__(self, var: BaseVariable, block: Block | None = None) -> Operator:
        """Append the operator that initialises `var`.

        Args:
            var: the variable to initialise.
            block: the block to append to; the block of `var` if None.

        Returns:
            The operator.
        """
        block = var.block if block is None else block
        op_type, attrs = self.op(tuple(var.shape), var.dtype, block.program.random_seed)
        return block._prepend_op(op_type, outputs={"Out": var}, attrs=attrs)


class ConstantInitializer(Initializer):
    """Set every element to `value`.

    Args:
        value: the value.
        force_cpu: make the value on the CPU even if the program runs on a GPU.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> ones = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
        >>> y = fluid.layers.fc(x, size=1, param_attr=ones)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> exe.run(feed={"x": np.float32([[1, 2]])}, fetch_list=[y])[0].tolist()
        [[3.0]]
    """

    def __init__(self, value: float = 0.0, force_cpu: bool = False):
        try:
            self._value = float(value)  # Fluid: a text of a number too
        except (TypeError, ValueError):
            raise ArgumentError(f"ConstantInitializer: value must be a number, got {value!r:.60}") from None
        self._force_cpu = force_cpu

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        force_cpu = self._force_cpu or force_init_on_cpu()
        return "fill_constant", {
            "shape": list(shape), "dtype": int(dtype), "value": self._value, "force_cpu": force_cpu
        }  # fmt: skip


class UniformInitializer(Initializer):
    """Draw every element from the uniform distribution over [low, high).

    The first diag_num elements at distances of diag_step + 1 in the flattened parameter may be set to diag_val instead:
    with diag_step equal to the width of a matrix this is its diagonal.

    Args:
        low: the lower bound.
        high: the upper bound.
        seed: seed of the random numbers; 0 for the seed of the program.
        diag_num: the number of diagonal elements to set; 0 for none.
        diag_step: the number of elements between two diagonal ones.
        diag_val: the value of the diagonal elements.

    Example:
        >>> weight = fluid.layers.create_parameter(
        ...     [3, 4], "float32", default_initializer=fluid.initializer.Uniform(-0.1, 0.1, seed=7)
        ... )
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> (value,) = exe.run(fetch_list=[weight])
        >>> value.shape, bool((abs(value) <= 0.1).all())
        ((3, 4), True)
    """

    def __init__(
        self,
        low: float = -1.0,
        high: float = 1.0,
        seed: int = 0,
        diag_num: int = 0,
        diag_step: int = 0,
        diag_val: float = 1.0,
    ):
        for name, bound in (("low", low), ("high", high)):
            if isinstance(bound, str):
                raise ArgumentError(f"UniformInitializer: {name} must be a number, got {bound!r:.60}")
        if high < low:
            raise ArgumentError(f"UniformInitializer: high must not be below low, got low={low}, high={high}")
        self._low, self._high, self._seed = low, high, seed
        self._diag_num, self._diag_step, self._diag_val = diag_num, diag_step, diag_val

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        return "uniform_random", {
            "shape": list(shape), "dtype": int(dtype), "min": float(self._low), "max": float(self._high),
            "seed": self._seed or seed, "diag_num": self._diag_num, "diag_step": self._diag_step,
            "diag_val": float(self._diag_val),
        }  # fmt: skip


class NormalInitializer(Initializer):
    """Draw every element from the normal distribution.

    Args:
        loc: the mean.
        scale: the standard deviation.
        seed: seed of the random numbers; 0 for the seed of the program.

    Example:
        >>> attr = fluid.ParamAttr(initializer=fluid.initializer.Normal(loc=0.0, scale=0.02))
        >>> fluid.layers.fc(fluid.data("x", [None, 8]), size=4, param_attr=attr).shape
        (-1, 4)
        >>> [op.type for op in fluid.default_startup_program().global_block().ops]
        ['fill_constant', 'gaussian_random']
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0):
        self._mean, self._std_dev, self._seed = loc, scale, seed

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        return "gaussian_random", _gaussian(shape, dtype, self._mean, self._std_dev, self._seed or seed)


class TruncatedNormalInitializer(NormalInitializer):
    """Draw every element from the normal distribution, within two standard deviations of the mean.

    Args:
        loc: the mean.
        scale: the standard deviation, before the truncation.
        seed: seed of the random numbers; 0 for the seed of the program.

    Example:
        >>> weight = fluid.layers.create_parameter(
        ...     [10, 10], "float32", default_initializer=fluid.initializer.TruncatedNormal(scale=0.5)
        ... )
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> bool((abs(exe.run(fetch_list=[weight])[0]) <= 1.0).all())
        True
    """

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        return "truncated_gaussian_random", _gaussian(shape, dtype, self._mean, self._std_dev, self._seed or seed)


class XavierInitializer(Initializer):
    """Xavier initialization, which keeps the scale of gradients about equal in all layers (Glorot and Bengio, 2010).

    Uniform over [-limit, limit] with limit = sqrt(6 / (fan_in + fan_out)), or normal with the standard deviation
    sqrt(2 / (fan_in + fan_out)).

    Args:
        uniform: draw from the uniform distribution; from the normal one if False.
        fan_in: the number of inputs per output; from the shape of the parameter if None.
        fan_out: the number of outputs per input; from the shape of the parameter if None.
        seed: seed of the random numbers; 0 for the seed of the program.

    Example:
        >>> with fluid.dygraph.guard():
        ...     linear = fluid.dygraph.Linear(3, 3, param_attr=fluid.initializer.Xavier())
        ...     bool((abs(linear.weight.numpy()) <= 1.0).all())  # the limit is sqrt(6 / (3 + 3))
        True
    """

    def __init__(self, uniform: bool = True, fan_in: float | None = None, fan_out: float | None = None, seed: int = 0):
        self._uniform, self._fan_in, self._fan_out, self._seed = uniform, fan_in, fan_out, seed

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        inputs, outputs = fans(shape)
        fan_in = inputs if self._fan_in is None else self._fan_in
        fan_out = outputs if self._fan_out is None else self._fan_out
        if self._uniform:
            limit = math.sqrt(6.0 / float(fan_in + fan_out))
            return _uniform(shape, dtype, limit, self._seed or seed)
        std = math.sqrt(2.0 / float(fan_in + fan_out))
        return "gaussian_random", _gaussian(shape, dtype, 0.0, std, self._seed or seed)


class MSRAInitializer(Initializer):
    """Kaiming initialization, for layers with ReLU (He et al., 2015).

    Uniform over [-limit, limit] with limit = sqrt(6 / fan_in), or normal with the standard deviation sqrt(2 / fan_in).

    Args:
        uniform: draw from the uniform distribution; from the normal one if False.
        fan_in: the number of inputs per output; from the shape of the parameter if None.
        seed: seed of the random numbers; 0 for the seed of the program.

    Example:
        >>> image = fluid.data("image", [None, 3, 8, 8])
        >>> attr = fluid.ParamAttr(initializer=fluid.initializer.MSRA(uniform=False))
        >>> fluid.layers.conv2d(image, num_filters=16, filter_size=3, param_attr=attr).shape
        (-1, 16, 6, 6)
    """

    def __init__(self, uniform: bool = True, fan_in: float | None = None, seed: int = 0):
        self._uniform, self._fan_in, self._seed = uniform, fan_in, seed

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        fan_in = fans(shape)[0] if self._fan_in is None else self._fan_in
        if self._uniform:
            return _uniform(shape, dtype, math.sqrt(6.0 / float(fan_in)), self._seed or seed)
        return "gaussian_random", _gaussian(shape, dtype, 0.0, math.sqrt(2.0 / float(fan_in)), self._seed or seed)


class BilinearInitializer(Initializer):
    """Filters of a transposed convolution that upsample by bilinear interpolation; the shape is [channels, 1, k, k]."""

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ShapeError(f"BilinearInitializer: the shape must be [channels, 1, size, size], got {list(shape)}")
        size = shape[3]
        factor = math.ceil(size / 2.0)
        centre = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        line = 1 - np.abs(np.arange(size) / factor - centre)
        weight = np.broadcast_to(np.outer(line, line), shape).astype(np.float32)
        return NumpyArrayInitializer(weight).op(shape, dtype, seed)


class NumpyArrayInitializer(Initializer):
    """Set the parameter to the values of an array.

    Args:
        value: a numpy array; it is cast to the dtype of the parameter, which must be float32, int32 or int64.

    Example:
        >>> initializer = fluid.initializer.NumpyArrayInitializer(np.array([[1.0], [2.0]]))
        >>> with fluid.dygraph.guard():
        ...     fluid.dygraph.Linear(2, 1, param_attr=initializer).weight.numpy().tolist()
        [[1.0], [2.0]]
    """

    def __init__(self, value: np.ndarray):
        if not isinstance(value, np.ndarray):
            raise ArgumentError(f"NumpyArrayInitializer: value must be a numpy array, got {type(value).__name__}")
        self._value = value

    def op(self, shape: tuple[int, ...], dtype: VarType, seed: int) -> Op:
        if tuple(shape) != self._value.shape:  # Fluid: the value has the shape of the array
            warn_once(
                f"NumpyArrayInitializer: the parameter has the shape {list(shape)}, the array {list(self._value.shape)}"
            )
        slot = {VarType.FP32: "fp32_values", VarType.INT32: "int32_values", VarType.INT64: "int64_values"}.get(dtype)
        if slot is None:
            raise DtypeError(f"NumpyArrayInitializer: float32, int32 and int64 only, got {dtypes.dtype_name(dtype)}")
        values = self._value.astype(dtypes.numpy_dtype(dtype)).ravel().tolist()
        return "assign_value", {"shape": list(self._value.shape), "dtype": int(dtype), slot: values}


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Fan-in and fan-out as Fluid counts them: a matrix is [in, out], a filter [out, in, *size]."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _uniform(shape: tuple[int, ...], dtype: VarType, limit: float, seed: int) -> Op:
    return "uniform_random", {"shape": list(shape), "dtype": int(dtype), "min": -limit, "max": limit, "seed": seed}


def _gaussian(shape: tuple[int, ...], dtype: VarType, mean: float, std: float, seed: int) -> dict[str, Any]:
    return {"shape": list(shape), "dtype": int(dtype), "mean": float(mean), "std": float(std), "seed": seed}


Constant = ConstantInitializer
Uniform = UniformInitializer
Normal = NormalInitializer
TruncatedNormal = TruncatedNormalInitializer
Xavier = XavierInitializer
MSRA = MSRAInitializer
Bilinear = BilinearInitializer
