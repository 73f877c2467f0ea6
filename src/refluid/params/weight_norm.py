"""Weights kept as a direction and a length: w = g * v / ||v||, for WeightNormParamAttr."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core import dtypes
from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.core.naming import FixedNames, LayerName, Names, Parts
from refluid.core.types import Dtype
from refluid.eager.base import no_grad, tape
from refluid.eager.graph import FREED, Accumulator, Node, Out
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable, V
from refluid.ir.program import program_guard
from refluid.ir.variable import Parameter
from refluid.ops.math.elementwise import elementwise_div, elementwise_mul
from refluid.ops.math.pow import pow
from refluid.ops.math.reduce import reduce_sum
from refluid.ops.math.unary import abs
from refluid.ops.shape.reshape import reshape, reshape2
from refluid.ops.shape.transpose import transpose
from refluid.params.attr import WeightNormParamAttr
from refluid.params.create import named_parameter
from refluid.params.initializer import Initializer


def make_normalised(
    attr: WeightNormParamAttr, shape: tuple, dtype: Dtype, default: Initializer, layer: LayerName | None, suffix: str
) -> BaseVariable:
    """The weight: a variable that is computed from the parameters `<name>_v` and `<name>_g`.

    The length starts as the norm of the direction, so that the weight starts as `attr` says. Its `parts` are the
    parameters: a layer that keeps it as an attribute `weight` has the parameters `weight_v` and `weight_g`.
    """
    layer = layer or LayerName("create_parameter")
    name = attr.name if attr.name is not None else layer.child(suffix)
    dim = attr.dim
    if dim is not None and not -len(shape) <= dim < len(shape):
        raise ArgumentError(f"WeightNormParamAttr: dim must be an axis of the shape {list(shape)} of {name}, got {dim}")
    if dim is not None and dim < 0:
        dim += len(shape)
    v = named_parameter(f"{name}_v", attr, shape, dtype, attr.with_default(default))
    lengths = tuple(size if axis == dim else 1 for axis, size in enumerate(shape))
    return _with_lengths(v, name, attr, lengths, dtype, dim, layer)


@per_mode
def _with_lengths(
    v: BaseVariable,
    name: str,
    attr: WeightNormParamAttr,
    lengths: tuple,
    dtype: Dtype,
    dim: int | None,
    layer: LayerName,
) -> BaseVariable:
    """The weight of this direction, with a parameter for its lengths that starts with those of `v`."""
    g = _length(f"{name}_g", attr, lengths, dtypes.var_type(dtype))
    startup = programs.default_startup_program()
    with program_guard(startup, startup):
        there = startup.global_block().var(g.name)
        _norm(startup.global_block().var(v.name), dim, layer, there)
        reshape(there, shape=list(lengths), outs={"Out": there})
    weight = _weight(v, g, dim, layer)
    weight.parts = {"v": v, "g": g}
    return weight


@_with_lengths.imperative
def _with_lengths_now(
    v: ParamBase,
    name: str,
    attr: WeightNormParamAttr,
    lengths: tuple,
    dtype: Dtype,
    dim: int | None,
    layer: LayerName,
) -> BaseVariable:
    with no_grad():
        start = _norm(v, dim, layer)._t.reshape(lengths).clone()
    return NormalisedWeight(v, ParamBase(start, f"{name}_g", **attr.settings()), dim, name, layer)


def _length(name: str, attr: WeightNormParamAttr, shape: tuple, dtype: dtypes.VarType) -> Parameter:
    """A parameter without an initializer, in both programs."""
    programs.default_startup_program().global_block().create_parameter(name=name, shape=shape, dtype=dtype)
    block = programs.default_main_program().global_block()
    return block.create_parameter(name=name, shape=shape, dtype=dtype, **attr.settings())


def _weight(v: V, g: V, dim: int | None, layer: LayerName) -> V:
    scale = elementwise_div(g, _norm(v, dim, layer))
    if dim is None:
        return elementwise_mul(v, scale)
    scale, _ = reshape2(scale, shape=[v.shape[dim]])
    return elementwise_mul(v, scale, axis=dim)


def _norm(v: V, dim: int | None, layer: LayerName, out: V | None = None) -> V:
    """The norm of v, or of its slices along an axis: of as many axes as v, with sizes of 1. `out` is written to."""
    shape = list(v.shape)
    whole: Names | None = _part(layer, "norm") if out is None else None
    outs = None if out is None else {"Out": out}
    if dim is None:
        return _root(v, None, layer, whole, outs)
    whole = whole and FixedNames(whole.tmp())  # Fluid names the result before what leads to it
    kept = [size if axis == dim else 1 for axis, size in enumerate(shape)]
    if dim == 0:
        rows = reshape(v, shape=[shape[0], -1], name=_part(layer, "reshape"))
        return reshape(_root(rows, 1, layer), shape=kept, name=whole, outs=outs)
    if dim == len(shape) - 1:
        columns = reshape(v, shape=[-1, shape[dim]], name=_part(layer, "reshape"))
        return reshape(_root(columns, 0, layer), shape=kept, name=whole, outs=outs)
    order = list(range(len(shape)))
    order[0], order[dim] = dim, 0
    first = transpose(v, axis=order, name=_part(layer, "transpose"))
    rows = reshape(first, shape=[shape[dim], -1], name=_part(layer, "reshape"))
    norm = reshape(_root(rows, 1, layer), shape=[shape[dim]] + [1] * (len(shape) - 1), name=_part(layer, "reshape"))
    return transpose(norm, axis=order, name=whole, outs=outs)


def _root(x: V, axis: int | None, layer: LayerName, name: Names | None = None, outs: dict[str, Any] | None = None) -> V:
    """The root of the sum of squares over an axis, or over all."""
    squares = pow(abs(x, name=_part(layer, "abs")), factor=2.0, name=_part(layer, "pow"))
    total = reduce_sum(squares, dim=[axis or 0], keep_dim=False, reduce_all=axis is None, name=_part(layer, "sum"))
    return pow(total, factor=0.5, name=name or _part(layer, "norm"), outs=outs)


def _part(layer: LayerName, what: str) -> Parts:
    """Names a step on the way: fc_0.weight_norm_abs_0."""
    return Parts(layer, f".weight_norm_{what}")


class NormalisedWeight(VarBase):
    """The weight of the imperative mode: computed from its parts again whenever they have changed since."""

    parts: dict[str, ParamBase]

    def __init__(self, v: ParamBase, g: ParamBase, dim: int | None, name: str, layer: LayerName):
        self.parts = {"v": v, "g": g}
        self._name, self._dim, self._layer = name, dim, layer
        self._computed: VarBase | None = None
        self._when: tuple[int, bool, int, int] | None = None

    def _current(self) -> VarBase:
        v, g = self.parts["v"], self.parts["g"]
        when = (tape().step, tape().recording, v._t._version, g._t._version)
        node = None if self._computed is None else self._computed._grad_node
        if self._computed is None or when != self._when or (isinstance(node, Node | Out) and node.node.saved is FREED):
            self._computed = _weight(v, g, self._dim, self._layer)
            self._when = when
        return self._computed

    @property
    def _t(self) -> torch.Tensor:
        return self._current()._t

    @_t.setter
    def _t(self, value: torch.Tensor) -> None:
        """A convolution lays its weight out in memory as it likes best; the direction follows."""
        v = self.parts["v"]
        v._t = torch.empty_like(value).copy_(v._t)

    @property
    def _grad_node(self) -> Accumulator | None:  # type: ignore[override]  # its parts have the graph: nobody sets it
        return self._current()._grad_node

    @property
    def stop_gradient(self) -> bool:
        return all(part.stop_gradient for part in self.parts.values())

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        for part in self.parts.values():
            part.stop_gradient = value
