"""rnn: a cell over all steps of sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.mode import per_mode
from refluid.ir.base_variable import BaseVariable
from refluid.layers.control_flow.nest import Structure, flatten, outline, pack
from refluid.layers.control_flow.static_rnn import StaticRNN
from refluid.layers.elementwise import elementwise_mul
from refluid.layers.sequence import sequence_mask
from refluid.layers.shape import reverse, shape, stack, transpose, unstack

if TYPE_CHECKING:
    from refluid.layers.rnn.cells import RNNCell


def rnn(
    cell: object,
    inputs: Structure,
    initial_states: Structure = None,
    sequence_length: BaseVariable | None = None,
    time_major: bool = False,
    is_reverse: bool = False,
    **kwargs: object,
) -> tuple[Structure, Structure]:
    """Run a cell over the steps of sequences.

    Args:
        cell: an RNNCell.
        inputs: a variable [N, T, ...], or a structure of variables.
        initial_states: the initial states in the cell's structure; None for `cell.get_initial_states`.
        sequence_length: int [N]; the states of a sequence stay as they are after its end. None for T.
        time_major: inputs and outputs are [T, N, ...].
        is_reverse: from the last step to the first; the outputs are in the order of the inputs.
        kwargs: passed to the cell.

    Returns:
        (outputs of all steps, states after the last step).
    """
    if not callable(cell) or not hasattr(cell, "get_initial_states"):
        raise ArgumentError(f"rnn: cell must be an RNNCell, got {type(cell).__name__}")
    if initial_states is None:
        initial_states = cell.get_initial_states(batch_ref=inputs, batch_dim_idx=1 if time_major else 0)
    leaves = flatten(inputs)
    if not time_major:
        leaves = [_swap_first_axes(leaf) for leaf in leaves]
    if leaves[0].shape[0] == 0:
        raise ShapeError(f"rnn: inputs must have at least one step, got the shape {list(flatten(inputs)[0].shape)}")
    mask = None
    if sequence_length is not None:
        if len(sequence_length.shape) != 1:
            raise ShapeError(f"rnn: sequence_length must be ints [N], got the shape {list(sequence_length.shape)}")
        steps = step_count(leaves[0])
        mask = sequence_mask(sequence_length, maxlen=steps, dtype=flatten(initial_states)[0].dtype)
        mask = transpose(mask, [1, 0])
    if is_reverse:
        leaves = [reverse(leaf, [0]) for leaf in leaves]
        mask = reverse(mask, [0]) if mask is not None else None
    outputs, states = _unroll(cell, pack(inputs, leaves), initial_states, mask, kwargs)
    finished = flatten(outputs)
    if is_reverse:
        finished = [reverse(leaf, [0]) for leaf in finished]
    if not time_major:
        finished = [_swap_first_axes(leaf) for leaf in finished]
    return pack(outputs, finished), states


@per_mode
def step_count(x: BaseVariable) -> int | BaseVariable:
    """The size of the first axis: a variable in programs, where it may not be known."""
    return shape(x)[0]


@step_count.imperative
def _known_step_count(x: BaseVariable) -> int:
    return x.shape[0]


@per_mode
def _unroll(
    cell: Any, inputs: Structure, initial_states: Structure, mask: Any, kwargs: dict[str, Any]
) -> tuple[Structure, Structure]:
    loop = StaticRNN()
    with loop.step():
        step_inputs = pack(inputs, [loop.step_input(leaf) for leaf in flatten(inputs)])
        states = pack(initial_states, [loop.memory(init=leaf) for leaf in flatten(initial_states)])
        outputs, new = cell(step_inputs, states, **kwargs)
        _check_same(cell, states, new)
        news = flatten(new)
        if mask is not None:
            step_mask = loop.step_input(mask)
            news = [choose(step_mask, leaf, old) for leaf, old in zip(news, flatten(states), strict=True)]
        for old, leaf in zip(flatten(states), news, strict=True):
            loop.update_memory(old, leaf)
        loop.output(*flatten(outputs))
        loop.output(*news)
    results = loop()
    count = len(flatten(outputs))
    last = [result[-1] for result in results[count:]]
    return pack(outputs, results[:count]), pack(new, last)


@_unroll.imperative
def _run_now(
    cell: RNNCell, inputs: Structure, initial_states: Structure, mask: BaseVariable | None, kwargs: dict[str, Any]
) -> tuple[Structure, Structure]:
    states = initial_states
    steps = [unstack(leaf, axis=0) for leaf in flatten(inputs)]
    masks = unstack(mask, axis=0) if mask is not None else [None] * len(steps[0])
    collected = []
    for step_inputs, step_mask in zip(zip(*steps, strict=True), masks, strict=True):
        outputs, new = cell(pack(inputs, list(step_inputs)), states, **kwargs)
        _check_same(cell, states, new)
        if step_mask is not None:
            new = pack(new, [choose(step_mask, a, b) for a, b in zip(flatten(new), flatten(states), strict=True)])
        states = new
        collected.append(flatten(outputs))
    return pack(outputs, [stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]), states


def choose(mask: BaseVariable, chosen: BaseVariable, other: BaseVariable) -> BaseVariable:
    """`chosen` where the mask (a number for each element of the first axis) is 1, `other` where it is 0."""
    return elementwise_mul(chosen, mask, axis=0) - elementwise_mul(other, mask - 1, axis=0)


def _check_same(cell: object, states: Structure, new: Structure) -> None:
    if len(flatten(states)) != len(flatten(new)):
        raise ArgumentError(
            f"rnn: {type(cell).__name__} got states {outline(states)}, but gave {outline(new)}: they must have one "
            "structure"
        )


def _swap_first_axes(x: BaseVariable) -> BaseVariable:
    return transpose(x, [1, 0, *range(2, len(x.shape))])
