"""rnn: a cell over all steps of sequences."""

from __future__ import annotations

from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError, ShapeError
from refluid.layers.control_flow.nest import flatten, outline, pack
from refluid.layers.control_flow.static_rnn import StaticRNN
from refluid.layers.elementwise import elementwise_mul
from refluid.layers.sequence import sequence_mask
from refluid.layers.shape import reverse, shape, stack, transpose, unstack


def rnn(
    cell: Any,
    inputs: Any,
    initial_states: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    is_reverse: bool = False,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Run a cell over the steps of sequences.

    Args:
        cell: an RNNCell.
        inputs: a variable [N, T, ...], or a structure of them.
        initial_states: in the structure of the cell's states; what `cell.get_initial_states` gives by default.
        sequence_length: ints [N]: the states of a sequence stay as they are after its end.
        time_major: inputs and outputs are [T, N, ...].
        is_reverse: from the last step to the first; outputs are in the order of the inputs all the same.
        kwargs: go to the cell.
    Returns:
        (outputs of all steps, states after the last).
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
        steps = shape(leaves[0])[0] if not mode.current.imperative else leaves[0].shape[0]
        mask = sequence_mask(sequence_length, maxlen=steps, dtype=flatten(initial_states)[0].dtype)
        mask = transpose(mask, [1, 0])
    if is_reverse:
        leaves = [reverse(leaf, [0]) for leaf in leaves]
        mask = reverse(mask, [0]) if mask is not None else None
    run = _run_now if mode.current.imperative else _build
    outputs, states = run(cell, pack(inputs, leaves), initial_states, mask, kwargs)
    finished = flatten(outputs)
    if is_reverse:
        finished = [reverse(leaf, [0]) for leaf in finished]
    if not time_major:
        finished = [_swap_first_axes(leaf) for leaf in finished]
    return pack(outputs, finished), states


def _build(cell: Any, inputs: Any, initial_states: Any, mask: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    loop = StaticRNN()
    with loop.step():
        now = pack(inputs, [loop.step_input(leaf) for leaf in flatten(inputs)])
        states = pack(initial_states, [loop.memory(init=leaf) for leaf in flatten(initial_states)])
        outputs, new = cell(now, states, **kwargs)
        _check_same(cell, states, new)
        news = flatten(new)
        if mask is not None:
            going = loop.step_input(mask)
            news = [choose(going, leaf, old) for leaf, old in zip(news, flatten(states), strict=True)]
        for old, leaf in zip(flatten(states), news, strict=True):
            loop.update_memory(old, leaf)
        loop.output(*flatten(outputs))
        loop.output(*news)
    found = loop()
    count = len(flatten(outputs))
    last = [one[-1] for one in found[count:]]
    return pack(outputs, found[:count]), pack(new, last)


def _run_now(cell: Any, inputs: Any, states: Any, mask: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    given = [unstack(leaf, axis=0) for leaf in flatten(inputs)]
    masks = unstack(mask, axis=0) if mask is not None else [None] * len(given[0])
    collected = []
    for now, going in zip(zip(*given, strict=True), masks, strict=True):
        outputs, new = cell(pack(inputs, list(now)), states, **kwargs)
        _check_same(cell, states, new)
        if going is not None:
            new = pack(new, [choose(going, a, b) for a, b in zip(flatten(new), flatten(states), strict=True)])
        states = new
        collected.append(flatten(outputs))
    return pack(outputs, [stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]), states


def choose(mask: Any, chosen: Any, other: Any) -> Any:
    """`chosen` where the mask (a number for each element of the first axis) is 1, `other` where it is 0."""
    return elementwise_mul(chosen, mask, axis=0) - elementwise_mul(other, mask - 1, axis=0)


def _check_same(cell: Any, states: Any, new: Any) -> None:
    if len(flatten(states)) != len(flatten(new)):
        raise ArgumentError(
            f"rnn: {type(cell).__name__} got states {outline(states)}, but gave {outline(new)}: they must have one "
            "structure"
        )


def _swap_first_axes(x: Any) -> Any:
    return transpose(x, [1, 0, *range(2, len(x.shape))])
