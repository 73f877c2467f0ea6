"""Cells: one step of a recurrent network."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError, NotDefinedError, ShapeError
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.activation import sigmoid, tanh
from refluid.layers.common import ShapeLike
from refluid.layers.control_flow.nest import Structure, flatten
from refluid.layers.creation import fill_constant, fill_constant_batch_size_like
from refluid.layers.elementwise import elementwise_add, elementwise_mul
from refluid.layers.math import matmul
from refluid.layers.shape import concat, split
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import make_parameter

Activation = Callable[[BaseVariable], BaseVariable]


class RNNCell:
    """The base class of cells: `call(inputs, states)` returns (outputs, new states).

    A cell has one state or a structure (list, tuple, dict) of states.
    """

    def call(self, inputs: Structure, states: Structure, **kwargs: object) -> tuple[Structure, Structure]:
        raise NotDefinedError(f"{type(self).__name__} must define call(inputs, states)")

    def __call__(self, inputs: Structure, states: Structure, **kwargs: object) -> tuple[Structure, Structure]:
        return self.call(inputs, states, **kwargs)

    @property
    def state_shape(self) -> Structure:
        """The shape of the state without the batch, or a structure of shapes."""
        raise NotDefinedError(f"{type(self).__name__} must define state_shape")

    @property
    def state_dtype(self) -> Structure:
        """The dtype of the state, or a structure of dtypes."""
        raise NotDefinedError(f"{type(self).__name__} must define state_dtype")

    def get_initial_states(
        self,
        batch_ref: Structure,
        shape: Structure = None,
        dtype: Structure = "float32",
        init_value: float = 0,
        batch_dim_idx: int = 0,
    ) -> Structure:
        """Initial states filled with a number.

        Args:
            batch_ref: a variable (or a structure of variables) whose axis `batch_dim_idx` is the batch.
            shape: replaces `state_shape`; without the batch, or with -1 for it.
            dtype: one for all states, or a structure like shape; None for `state_dtype`.
            init_value: the number.
            batch_dim_idx: the axis of the batch in batch_ref.

        Returns:
            A variable, or a structure of variables, [N, *shape].
        """
        return first_states(self, batch_ref, shape, dtype, init_value, batch_dim_idx)


def first_states(cell: Any, batch_ref: Structure, shape: ShapeLike, dtype: Dtype, value: float, axis: int) -> Structure:
    """The result of `get_initial_states`, for anything that has `state_shape` and `state_dtype`."""
    shapes = cell.state_shape if shape is None else shape
    return _filled(flatten(batch_ref)[0], shapes, cell.state_dtype if dtype is None else dtype, value, axis)


def _filled(like: Structure, shapes: Structure, dtypes: Structure, value: float, axis: int) -> Structure:
    if isinstance(shapes, dict):
        return {key: _filled(like, shapes[key], _part(dtypes, key), value, axis) for key in shapes}
    if isinstance(shapes, int):
        shapes = [shapes]
    if all(isinstance(size, int) for size in shapes):
        whole = list(shapes) if shapes and shapes[0] == -1 else [-1, *shapes]
        return fill_constant_batch_size_like(like, whole, dtypes, value, input_dim_idx=axis)
    return [_filled(like, shape, _part(dtypes, i), value, axis) for i, shape in enumerate(shapes)]


def _part(dtypes: Structure, key: Any) -> Structure:
    return dtypes[key] if isinstance(dtypes, list | tuple | dict) else dtypes


class GRUCell(RNNCell):
    """A gated recurrent unit (Cho et al., 2014).

    r, u = gate([x, h] @ W + b); c = act([x, r * h] @ V + d); h = u * h + (1 - u) * c.

    Args:
        hidden_size: the width of the state.
        param_attr: settings of both weights; "_gate" or "_candidate" is appended to a name.
        bias_attr: settings of both biases, likewise.
        gate_activation: a layer function; None for sigmoid.
        activation: a layer function; None for tanh.
        dtype: the dtype of the parameters.
        name: what the names of the parameters begin with.
    """

    def __init__(
        self,
        hidden_size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        dtype: Dtype = "float32",
        name: str = "GRUCell",
    ):
        self.hidden_size = checked_size("GRUCell", hidden_size)
        self._layer = _numbered(f"{name}/BasicGRUUnit")
        self._attrs, self._dtype = (param_attr, bias_attr), dtype
        self._gate, self._act = gate_activation or sigmoid, activation or tanh
        self._parameters: tuple[Any, ...] | None = None

    def call(self, inputs: Structure, states: Structure) -> tuple[BaseVariable, BaseVariable]:  # type: ignore[override]
        """(hidden, hidden) from inputs [N, D] and hidden [N, hidden_size]."""
        hidden = gru_step(inputs, states, self._created(inputs), self._gate, self._act)
        return hidden, hidden

    def _created(self, inputs: Structure) -> tuple[Any, ...]:
        if self._parameters is None:
            rows, size = input_width("GRUCell", inputs) + self.hidden_size, self.hidden_size
            weights, biases = self._attrs
            self._parameters = (
                make_parameter(own_attr(weights, "_gate"), [rows, 2 * size], self._dtype, layer=self._layer),
                make_parameter(own_attr(weights, "_candidate"), [rows, size], self._dtype, layer=self._layer),
                make_parameter(own_attr(biases, "_gate"), [2 * size], self._dtype, is_bias=True, layer=self._layer),
                make_parameter(own_attr(biases, "_candidate"), [size], self._dtype, is_bias=True, layer=self._layer),
            )
        return self._parameters

    @property
    def state_shape(self) -> list[int]:
        return [self.hidden_size]


class LSTMCell(RNNCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); its states are [hidden, cell].

    i, j, f, o = [x, h] @ W + b; c = c * gate(f + forget_bias) + gate(i) * act(j); h = act(c) * gate(o).

    Args:
        hidden_size: the width of both states.
        param_attr: settings of the weight.
        bias_attr: settings of the bias.
        gate_activation: a layer function; None for sigmoid.
        activation: a layer function; None for tanh.
        forget_bias: added to the forget gate, so that the cell keeps its state at first.
        dtype: the dtype of the parameters.
        name: what the names of the parameters begin with.
    """

    def __init__(
        self,
        hidden_size: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        gate_activation: Activation | None = None,
        activation: Activation | None = None,
        forget_bias: float = 1.0,
        dtype: Dtype = "float32",
        name: str = "LSTMCell",
    ):
        self.hidden_size = checked_size("LSTMCell", hidden_size)
        self._layer = _numbered(f"{name}/BasicLSTMUnit")
        self._attrs, self._dtype = (param_attr, bias_attr), dtype
        self._gate, self._act = gate_activation or sigmoid, activation or tanh
        self._forget_bias = fill_constant([1], dtype, forget_bias)
        self._forget_bias.stop_gradient = False
        self._parameters: tuple[Any, Any] | None = None

    def call(self, inputs: Structure, states: Structure) -> tuple[BaseVariable, list[BaseVariable]]:  # type: ignore[override]
        """(hidden, [hidden, cell]) from inputs [N, D] and [hidden, cell], both [N, hidden_size]."""
        hidden, cell = states
        hidden, cell = lstm_step(inputs, hidden, cell, self._created(inputs), self._forget_bias, self._gate, self._act)
        return hidden, [hidden, cell]

    def _created(self, inputs: Structure) -> tuple[Any, Any]:
        if self._parameters is None:
            rows, size = input_width("LSTMCell", inputs) + self.hidden_size, self.hidden_size
            weights, biases = self._attrs
            self._parameters = (
                make_parameter(weights, [rows, 4 * size], self._dtype, layer=self._layer),
                make_parameter(biases, [4 * size], self._dtype, is_bias=True, layer=self._layer),
            )
        return self._parameters

    @property
    def state_shape(self) -> list[list[int]]:
        return [[self.hidden_size], [self.hidden_size]]


def gru_step(
    inputs: BaseVariable, hidden: BaseVariable, parameters: tuple[Any, ...], gate: Activation, act: Activation
) -> BaseVariable:
    """The next hidden state of a GRU; parameters are the weights of gates and candidate, then their biases."""
    gate_weight, candidate_weight, gate_bias, candidate_bias = parameters
    gates = gate(_affine(concat([inputs, hidden], 1), gate_weight, gate_bias))
    reset, update = split(gates, 2, dim=1)
    candidate = act(_affine(concat([inputs, reset * hidden], 1), candidate_weight, candidate_bias))
    return update * hidden + (1 - update) * candidate


def lstm_step(
    inputs: Structure,
    hidden: BaseVariable,
    cell: BaseVariable,
    weights: tuple[Any, Any],
    forget_bias: float | BaseVariable,
    gate: Activation,
    act: Activation,
) -> tuple[BaseVariable, BaseVariable]:
    """The next (hidden, cell) of an LSTM.

    Args:
        weights: the matrix and the bias.
        forget_bias: a number or a variable [1].
    """
    i, j, f, o = split(_affine(concat([inputs, hidden], 1), *weights), 4, dim=-1)
    kept = elementwise_mul(cell, gate(f + forget_bias))
    cell = elementwise_add(kept, elementwise_mul(gate(i), act(j)))
    return act(cell) * gate(o), cell


def _affine(x: BaseVariable, weight: BaseVariable, bias: BaseVariable | None) -> BaseVariable:
    product = matmul(x, weight)
    return product if bias is None else elementwise_add(product, bias)


def own_attr(attr: AttrLike, suffix: str) -> AttrLike:
    """The settings of one of several parameters: a suffix keeps their names apart."""
    attr = ParamAttr._to_attr(attr)
    if not isinstance(attr, ParamAttr) or attr.name is None:
        return attr
    named = copy.copy(attr)
    named.name = attr.name + suffix
    return named


def _numbered(layer_type: str) -> LayerName:
    """The name of a cell counts from where the cell is made, not from its first call."""
    layer = LayerName(layer_type)
    str(layer)
    return layer


def checked_size(cell: str, size: object) -> int:
    if not isinstance(size, int) or size < 1:
        raise ArgumentError(f"{cell}: hidden_size must be an int of at least 1, got {size!r}")
    return size


def input_width(cell: str, inputs: Structure) -> int:
    if len(inputs.shape) != 2 or inputs.shape[1] < 1:
        raise ShapeError(f"{cell}: inputs must have the shape [N, D] with D known, got {list(inputs.shape)}")
    return int(inputs.shape[1])
