"""dynamic_decode: a decoder runs until all sequences have ended."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

from refluid.core import mode
from refluid.core.errors import ArgumentError
from refluid.eager.base import no_grad
from refluid.layers.compare import less_equal, logical_and, logical_not, logical_or
from refluid.layers.control_flow.arrays import array_write, create_array, tensor_array_to_tensor
from refluid.layers.control_flow.block import building_in
from refluid.layers.control_flow.loops import While
from refluid.layers.control_flow.nest import flatten, outline, pack
from refluid.layers.creation import fill_constant, zeros_like
from refluid.layers.math import increment
from refluid.layers.reduce import reduce_all
from refluid.layers.rnn.decoder import Decoder
from refluid.layers.rnn.unroll import choose
from refluid.layers.shape import stack, transpose
from refluid.layers.tensor import assign, cast


def dynamic_decode(
    decoder: Any,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> tuple[Any, ...]:
    """Let a decoder go on until all sequences have ended.

    Args:
        decoder: a Decoder.
        inits: what `decoder.initialize` takes.
        max_step_num: the number of the last step, counted from 0; None for as many as it takes.
        output_time_major: outputs are [T, N, ...] in place of [N, T, ...].
        impute_finished: the states of a sequence stay as they are after its end; a decoder that reorders its
            sequences sees to that itself.
        is_test: nothing is remembered for gradients.
        return_length: also return how long each sequence is, int64.
        kwargs: go to the decoder's step.
    Returns:
        (outputs, final states), and lengths if asked for.
    """
    if not hasattr(decoder, "step") or not hasattr(decoder, "initialize"):
        raise ArgumentError(f"dynamic_decode: decoder must be a Decoder, got {type(decoder).__name__}")
    if mode.current.imperative:
        with no_grad() if is_test else contextlib.nullcontext():
            results = _Imperative(decoder, max_step_num, impute_finished, kwargs).run(inits)
            outputs, states, lengths = _finished(decoder, results, output_time_major)
    else:
        results = _Static(decoder, max_step_num, impute_finished, kwargs).run(inits, is_test)
        outputs, states, lengths = _finished(decoder, results, output_time_major)
    return (outputs, states, lengths) if return_length else (outputs, states)


def _finished(decoder: Any, results: tuple[Any, Any, Any], time_major: bool) -> tuple[Any, Any, Any]:
    outputs, states, lengths = results
    if getattr(type(decoder), "finalize", Decoder.finalize) is not Decoder.finalize:
        outputs, states = decoder.finalize(outputs, states, lengths)
    if not time_major:
        outputs = pack(outputs, [transpose(x, [1, 0, *range(2, len(x.shape))]) for x in flatten(outputs)])
    return outputs, states, lengths


class _Steps:
    """What both modes do in one step."""

    def __init__(self, decoder: Any, last: int | None, impute: bool, kwargs: dict[str, Any]):
        self.decoder, self.last, self.impute, self.kwargs = decoder, last, impute, kwargs
        self.own = getattr(decoder, "tracks_own_finished", False)

    def step(self, time: Any, inputs: Any, states: Any, finished: Any, lengths: Any) -> tuple[Any, ...]:
        """(outputs, next inputs, next states, which have ended, lengths)."""
        outputs, after, inputs, ended = self.decoder.step(time, inputs, states, **self.kwargs)
        if outline(after) != outline(states):
            raise ArgumentError(
                f"dynamic_decode: {type(self.decoder).__name__}.step got states {outline(states)}, "
                f"but gave {outline(after)}: they must have one structure"
            )
        if self.own:
            return outputs, inputs, after, ended, getattr(after, "lengths", lengths)
        if self.impute:
            after = pack(after, [_kept(finished, old, new) for old, new in
                                 zip(flatten(states), flatten(after), strict=True)])  # fmt: skip
        lengths = lengths + cast(logical_not(finished), "int64")
        return outputs, inputs, after, logical_or(ended, finished), lengths


def _kept(finished: Any, old: Any, new: Any) -> Any:
    return choose(cast(finished, new.dtype), old, new)


class _Imperative(_Steps):
    def run(self, inits: Any) -> tuple[Any, Any, Any]:
        inputs, states, finished = self.decoder.initialize(inits)
        lengths = cast(zeros_like(finished), "int64")
        said: list[list[Any]] = []
        for number in itertools.count():
            time = fill_constant([1], "int64", number)
            outputs, inputs, states, finished, lengths = self.step(time, inputs, states, finished, lengths)
            said.append(flatten(outputs))
            if number == self.last or bool(finished.numpy().all()):
                break
        return pack(outputs, [stack(list(parts), axis=0) for parts in zip(*said, strict=True)]), states, lengths


class _Static(_Steps):
    def run(self, inits: Any, is_test: bool) -> tuple[Any, Any, Any]:
        given = self.decoder.initialize(inits)
        lengths = cast(zeros_like(given[2]), "int64")
        # The loop writes over them, and they may be anybody's.
        inputs, states, finished = (pack(one, [assign(leaf) for leaf in flatten(one)]) for one in given)
        time = fill_constant([1], "int64", 0)
        last = fill_constant([1], "int64", self.last) if self.last is not None else None
        go_on = logical_not(reduce_all(finished))
        loop = While(go_on, is_test=is_test)
        arrays: list[Any] = []
        outer = go_on.block
        with loop.block():
            outputs, *after = self.step(time, inputs, states, finished, lengths)
            for leaf in flatten(outputs):
                with building_in(outer):
                    arrays.append(create_array(leaf.dtype))
                array_write(leaf, time, array=arrays[-1])
            for old, new in zip((inputs, states, finished, lengths), after, strict=True):
                for to, leaf in zip(flatten(old), flatten(new), strict=True):
                    assign(leaf, to)
            increment(time, 1)
            unfinished = logical_not(reduce_all(finished))
            if last is None:
                assign(unfinished, go_on)
            else:
                logical_and(unfinished, less_equal(time, last), out=go_on)
        joined = [tensor_array_to_tensor(array, axis=0, use_stack=True)[0] for array in arrays]
        return pack(outputs, joined), states, lengths
