"""dynamic_decode: run a decoder until all sequences have finished."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.mode import per_mode
from refluid.eager.base import no_grad
from refluid.ir.base_variable import BaseVariable
from refluid.layers.compare import less_equal, logical_and, logical_not, logical_or
from refluid.layers.control_flow.arrays import array_write, create_array, tensor_array_to_tensor
from refluid.layers.control_flow.block import building_in
from refluid.layers.control_flow.loops import While
from refluid.layers.control_flow.nest import Structure, flatten, outline, pack
from refluid.layers.creation import fill_constant, zeros_like
from refluid.layers.math import increment
from refluid.layers.reduce import reduce_all
from refluid.layers.rnn.decoder import Decoder
from refluid.layers.rnn.unroll import choose
from refluid.layers.shape import stack, transpose
from refluid.layers.tensor import assign, cast


def dynamic_decode(
    decoder: Decoder,
    inits: Structure = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: object,
) -> tuple[Structure, ...]:
    """Run a decoder until all sequences have finished.

    Args:
        decoder: a Decoder.
        inits: the argument of `decoder.initialize`.
        max_step_num: the number of the last step, from 0; None for no limit.
        output_time_major: outputs are [T, N, ...] instead of [N, T, ...].
        impute_finished: the states of a sequence stay as they are after its end; a decoder that reorders its sequences
            does this itself.
        is_test: keep nothing for gradients.
        return_length: also return the lengths of the sequences, int64.
        kwargs: passed to the decoder's step.

    Returns:
        (outputs, final states), with return_length also the lengths.
    """
    if not hasattr(decoder, "step") or not hasattr(decoder, "initialize"):
        raise ArgumentError(f"dynamic_decode: decoder must be a Decoder, got {type(decoder).__name__}")
    settings = (decoder, max_step_num, impute_finished, kwargs)
    outputs, states, lengths = _decode(settings, inits, is_test, output_time_major)
    return (outputs, states, lengths) if return_length else (outputs, states)


@per_mode
def _decode(
    settings: tuple[Any, ...], inits: Structure, is_test: bool, time_major: bool
) -> tuple[Structure, Structure, BaseVariable]:
    return _finished(settings[0], _Static(*settings).run(inits, is_test), time_major)


@_decode.imperative
def _decode_now(
    settings: tuple[Any, ...], inits: Structure, is_test: bool, time_major: bool
) -> tuple[Structure, Structure, BaseVariable]:
    with no_grad() if is_test else contextlib.nullcontext():
        return _finished(settings[0], _Imperative(*settings).run(inits), time_major)


def _finished(
    decoder: Decoder, results: tuple[Structure, Structure, BaseVariable], time_major: bool
) -> tuple[Structure, Structure, BaseVariable]:
    outputs, states, lengths = results
    if getattr(type(decoder), "finalize", Decoder.finalize) is not Decoder.finalize:
        outputs, states = decoder.finalize(outputs, states, lengths)
    if not time_major:
        outputs = pack(outputs, [transpose(x, [1, 0, *range(2, len(x.shape))]) for x in flatten(outputs)])
    return outputs, states, lengths


class _Steps:
    """What both modes do in one step."""

    def __init__(self, decoder: Decoder, last: int | None, impute: bool, kwargs: dict[str, Any]):
        self.decoder, self.last, self.impute, self.kwargs = decoder, last, impute, kwargs
        self.own = getattr(decoder, "tracks_own_finished", False)

    def step(
        self, time: BaseVariable, inputs: Structure, states: Structure, finished: BaseVariable, lengths: BaseVariable
    ) -> tuple[Any, ...]:
        """(outputs, next inputs, next states, finished sequences, lengths)."""
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


def _kept(finished: BaseVariable, old: BaseVariable, new: BaseVariable) -> BaseVariable:
    return choose(cast(finished, new.dtype), old, new)


class _Imperative(_Steps):
    def run(self, inits: Structure) -> tuple[Structure, Structure, BaseVariable]:
        inputs, states, finished = self.decoder.initialize(inits)
        lengths = cast(zeros_like(finished), "int64")
        collected: list[list[Any]] = []
        for number in itertools.count():
            time = fill_constant([1], "int64", number)
            outputs, inputs, states, finished, lengths = self.step(time, inputs, states, finished, lengths)
            collected.append(flatten(outputs))
            if number == self.last or bool(finished.numpy().all()):
                break
        return pack(outputs, [stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]), states, lengths


class _Static(_Steps):
    def run(self, inits: Structure, is_test: bool) -> tuple[Structure, Structure, BaseVariable]:
        initial = self.decoder.initialize(inits)
        lengths = cast(zeros_like(initial[2]), "int64")
        # The loop overwrites them, and other operators may read them.
        inputs, states, finished = (pack(part, [assign(leaf) for leaf in flatten(part)]) for part in initial)
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
                for target, leaf in zip(flatten(old), flatten(new), strict=True):
                    assign(leaf, target)
            increment(time, 1)
            unfinished = logical_not(reduce_all(finished))
            if last is None:
                assign(unfinished, go_on)
            else:
                logical_and(unfinished, less_equal(time, last), out=go_on)
        joined = [tensor_array_to_tensor(array, axis=0, use_stack=True)[0] for array in arrays]
        return pack(outputs, joined), states, lengths
