"""Making parameters, in either mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import torch

from refluid.core import dtypes, random, unique_name
from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.eager.base import recording, tape
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.variable import Parameter, Variable
from refluid.ops import registry
from refluid.params.attr import AttrLike, ParamAttr, WeightNormParamAttr, default_initializer
from refluid.params.initializer import Bilinear, Initializer

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def make_parameter(
    attr: AttrLike,
    shape: Sequence[int],
    dtype: Dtype = "float32",
    is_bias: bool = False,
    default: Initializer | None = None,
    layer: LayerName | None = None,
    stop_gradient: bool = False,
) -> Any:
    """The parameter that `attr` describes, in the current mode.

    Args:
        attr: whatever programs pass as param_attr or bias_attr; False for no parameter.
        shape: its shape.
        dtype: its dtype.
        is_bias: whether it is a bias, which is named `b` and starts at zero.
        default: the initializer if `attr` has none; Xavier for weights and zeros for biases otherwise.
        layer: what it is named after when `attr` has no name: `fc_0.w_0`, `fc_0.b_0`.
        stop_gradient: whether gradients stop at it.

    Returns:
        A Parameter or ParamBase; None if `attr` is False.
    """
    settings = ParamAttr._to_attr(attr)
    if settings is False:
        return None
    sizes = _sizes(shape)
    suffix = "b" if is_bias else "w"
    if isinstance(settings, WeightNormParamAttr):
        from refluid.params.weight_norm import make_normalised

        return make_normalised(settings, sizes, dtype, default or default_initializer(is_bias), layer, suffix)
    name = settings.name if settings.name is not None else (layer or LayerName("create_parameter")).child(suffix)
    initializer = settings.with_default(default or default_initializer(is_bias))
    return named_parameter(name, settings, sizes, dtype, initializer, stop_gradient)


def _sizes(shape: Iterable[Any]) -> tuple[int, ...]:
    try:
        return tuple(index(size.item() if hasattr(size, "item") else size) for size in shape)
    except TypeError:
        raise ArgumentError(f"create_parameter: shape must be a list of ints, got {shape!r:.60}") from None


def named_parameter(
    name: str, attr: ParamAttr, shape: tuple, dtype: Dtype, initializer: Initializer, stop: bool = False
) -> BaseVariable:
    """A parameter with this name in the current mode."""
    param = _make(name, attr, shape, dtypes.var_type(dtype), initializer)
    if stop:
        param.stop_gradient = True
    return param


@per_mode
def _make(name: str, attr: ParamAttr, shape: tuple, dtype: dtypes.VarType, initializer: Initializer) -> BaseVariable:
    """A parameter of the main program, and the operator in the startup program that initialises it."""
    settings = attr.settings()
    param = (
        programs.default_main_program().global_block().create_parameter(name=name, shape=shape, dtype=dtype, **settings)
    )
    initialise(param, initializer)
    return param


def initialise(var: Variable, initializer: Initializer) -> None:
    """Declare `var` in the startup program and initialise it there, once."""
    startup = programs.default_startup_program().global_block()
    if var.name in startup.vars:
        return
    if isinstance(var, Parameter):
        copy: Variable = startup.create_parameter(
            name=var.name, shape=var.shape, dtype=var.dtype, trainable=var.trainable, stop_gradient=False
        )
    else:
        copy = startup.create_var(name=var.name, shape=var.shape, dtype=var.dtype, persistable=True)
    if initializer.is_derived:
        initializer(copy, startup)
        return
    op_type, attrs = initializer.op(tuple(var.shape), var.dtype, startup.program.random_seed)
    # Fluid: what is made last is initialised first (but for Bilinear); nothing depends on the order but the look.
    position = len(startup.ops) if isinstance(initializer, Bilinear) else 0
    startup._insert_op(position, op_type, outputs={"Out": copy}, attrs=attrs)


@_make.imperative
def _make_now(name: str, attr: ParamAttr, shape: tuple, dtype: dtypes.VarType, initializer: Initializer) -> ParamBase:
    value = initial_value(initializer, shape, dtype)
    param = ParamBase(value, name, **attr.settings())
    if not unique_name.register_parameter(name, param):  # optimizers and state dictionaries go by names
        raise ArgumentError(
            f"create_parameter: there is another parameter {name!r}; give each a name of its own, and share one by "
            "assigning it (b.weight = a.weight)"
        )
    return param


def initial_value(initializer: Initializer, shape: tuple, dtype: Dtype) -> torch.Tensor:
    """Run an initializer at once, on the current device."""
    if any(size < 0 for size in shape):
        raise ShapeError(f"create_parameter: sizes must not be negative, got {list(shape)}")
    if not isinstance(initializer, Initializer):
        raise ArgumentError(f"initializer must be one of fluid.initializer, got {type(initializer).__name__}")
    if initializer.is_derived:
        var = VarBase(torch.zeros(shape, dtype=dtypes.torch_dtype(dtype), device=tape().device))
        with recording(False):
            initializer(var, programs.default_startup_program().global_block())
        return var._t
    op_type, attrs = initializer.op(shape, dtypes.var_type(dtype), 0)
    op = registry.get(op_type)
    seed = initializer._seed or programs.default_main_program().random_seed
    extra: dict[str, Any] = {}
    if "rng" in op.engine:
        extra["rng"] = random.fresh(seed) if seed else random.stream_of(programs.default_startup_program().random)
    if "device" in op.engine:
        extra["device"] = tape().device
    return op.kernel(*[None] * len(op.params), **op.kernel_attrs(attrs), **extra)
