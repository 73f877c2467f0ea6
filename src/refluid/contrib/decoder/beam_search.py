"""BeamSearchDecoder: a decoder that generates sentences by beam search."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from refluid.contrib.decoder.state import InitState, StateCell
from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, NotFoundError
from refluid.ir import program as programs
from refluid.ir.block import Block
from refluid.ir.variable import Variable
from refluid.layers.compare import is_empty, less_than
from refluid.layers.control_flow.arrays import array_read, array_write
from refluid.layers.control_flow.loops import While
from refluid.layers.control_flow.switch import Switch
from refluid.layers.creation import fill_constant, zeros
from refluid.layers.decoding import beam_search, beam_search_decode
from refluid.layers.elementwise import elementwise_add
from refluid.layers.embedding import embedding
from refluid.layers.fc import fc
from refluid.layers.math import increment
from refluid.layers.sequence import lod_reset, sequence_expand
from refluid.layers.shape import reshape
from refluid.layers.tensor import topk
from refluid.layers.unary import log

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class Array:
    """A state kept as an array that grows by an element a step."""

    def __init__(self, block: Block, init: InitState):
        self._array = _declare_array(block, "array_state_array", init.value)
        name = unique_name.generate("array_state_counter")
        self._counter = block.create_var(name=name, dtype="int64", stop_gradient=True)
        attrs = {"shape": [1], "dtype": int(VarType.INT64), "value": 0.0, "force_cpu": True}
        block.append_op("fill_constant", outputs={"Out": self._counter}, attrs=attrs)
        block.append_op("write_to_array", {"X": init.value, "I": self._counter}, {"Out": self._array})

    def get_state(self) -> BaseVariable:
        return array_read(self._array, self._counter)

    def update_state(self, state: BaseVariable) -> None:
        increment(self._counter, value=1, in_place=True)
        array_write(state, self._counter, array=self._array)


class BeamSearchDecoder:
    """Runs the step of a StateCell on the words that it generates, with beam search.

    Args:
        state_cell: with the step; give it new InitStates, with a row for each sentence.
        init_ids, init_scores: the words to start from and their scores, LoDTensors [sentences, 1] of two levels.
        target_dict_dim: how many words there are.
        word_dim: the width of the word embedding.
        input_var_dict: {input of the step: variable with a row (or a sequence) for each sentence}.
        topk_size: how many candidates of each beam are scored.
        sparse_emb: the embedding's gradient is sparse.
        max_len: after so many words a sentence ends.
        beam_size: how many beams a sentence has.
        end_id: the word that ends a sentence.
    Example:
        decoder = BeamSearchDecoder(cell, init_ids, init_scores, target_dict_dim=words, word_dim=width, beam_size=4)
        decoder.decode()
        ids, scores = decoder()
    """

    type = "beam_search"

    def __init__(
        self,
        state_cell: StateCell,
        init_ids: BaseVariable,
        init_scores: BaseVariable,
        target_dict_dim: int,
        word_dim: int,
        input_var_dict: dict[str, Any] | None = None,
        topk_size: int = 50,
        sparse_emb: bool = True,
        max_len: int = 100,
        beam_size: int = 1,
        end_id: int = 1,
        name: str | None = None,
    ):
        self._counter = zeros(shape=[1], dtype="int64")
        self._counter.stop_gradient = True
        self._max_len = fill_constant([1], "int64", max_len)
        self._cond = less_than(self._counter, fill_constant([1], "int64", max_len))
        self._while = While(self._cond)
        self._cell = state_cell
        state_cell.enter(self)
        self._status = "before"
        self._zero = fill_constant([1], "int64", 0, force_cpu=True)
        self._arrays: dict[str, Variable] = {}  # by the name of what a step reads from it
        self._written: list[tuple[Any, Variable]] = []
        self._ids_array: Variable | None = None
        self._scores_array: Variable | None = None
        self._beam_size, self._end_id = beam_size, end_id
        self._init_ids, self._init_scores = init_ids, init_scores
        self._target_dict_dim, self._word_dim = target_dict_dim, word_dim
        self._topk_size, self._sparse_emb = topk_size, sparse_emb
        self._input_var_dict = dict(input_var_dict or {})

    def keep(self, init: InitState) -> Array:
        return Array(self._outer(), init)

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """The operators built inside are one step."""
        if self._status != "before":
            raise ArgumentError("BeamSearchDecoder.block: a decoder has one block")
        self._status = "inside"
        try:
            with self._while.block():
                yield
                with Switch() as switch, switch.case(self._cond):
                    increment(self._counter, value=1.0, in_place=True)
                    for value, array in self._written:
                        array_write(value, self._counter, array=array)
                    less_than(self._counter, self._max_len, cond=self._cond)
        finally:
            self._status = "after"
            self._cell.leave()

    @property
    def state_cell(self) -> StateCell:
        self._inside("state_cell")
        return self._cell

    def early_stop(self) -> None:
        """Let no step follow this one."""
        fill_constant([1], "bool", 0, force_cpu=True, out=self._cond)

    def read_array(self, init: BaseVariable, is_ids: bool = False, is_scores: bool = False) -> BaseVariable:
        """The value that the previous step stored with update_array; `init` in the first step.

        Args:
            is_ids, is_scores: these are the words, or their scores, that sentences are made of in the end.
        """
        self._inside("read_array")
        if is_ids and is_scores:
            raise ArgumentError("read_array: one array cannot be that of the ids and that of the scores")
        if not isinstance(init, Variable):
            raise DtypeError(f"read_array: init must be a Variable, got {type(init).__name__}")
        outer = self._outer()
        array = _declare_array(outer, "beam_search_decoder_array", init)
        outer.append_op("write_to_array", {"X": init, "I": self._zero}, {"Out": array})
        if is_ids:
            self._ids_array = array
        elif is_scores:
            self._scores_array = array
        value = array_read(array, self._counter)
        self._arrays[value.name] = array
        return value

    def update_array(self, array: BaseVariable, value: object) -> None:
        """Keep a value for the next step; `array` is what read_array gave."""
        self._inside("update_array")
        for what, var in (("array", array), ("value", value)):
            if not isinstance(var, Variable):
                raise DtypeError(f"update_array: {what} must be a Variable, got {type(var).__name__}")
        if array.name not in self._arrays:
            raise NotFoundError(f"update_array: array must be what read_array gave, got {array.name}")
        self._written.append((value, self._arrays[array.name]))

    def decode(self) -> None:
        """Build a step: embed the last words, compute the states, score all words, keep the best beams."""
        with self.block():
            ids = self.read_array(self._init_ids, is_ids=True)
            scores = self.read_array(self._init_scores, is_scores=True)
            size = [self._target_dict_dim, self._word_dim]
            embedded = embedding(ids, size=size, dtype="float32", is_sparse=self._sparse_emb)
            cell, expanded, kept = self.state_cell, {}, {}
            for name, init in self._input_var_dict.items():
                if name not in cell.input_names:
                    raise NotFoundError(f"decode: input_var_dict has {name!r}, which is no input of the StateCell")
                kept[name] = self.read_array(init)
                expanded[name] = sequence_expand(kept[name], scores)
            for name in cell.state_names:
                cell.set_state(name, sequence_expand(cell.get_state(name), scores))
            cell.compute_state({**dict.fromkeys(cell.input_names, embedded), **expanded})
            chosen, chosen_scores = self._best(ids, scores, cell.out_state())
            with Switch() as switch:
                with switch.case(is_empty(chosen)):
                    self.early_stop()
                with switch.default():
                    cell.update_states()
                    self.update_array(ids, chosen)
                    self.update_array(scores, chosen_scores)
                    for name, read in kept.items():
                        self.update_array(read, expanded[name])

    def _best(self, ids: BaseVariable, scores: BaseVariable, state: BaseVariable) -> tuple[Any, Any]:
        likely = fc(lod_reset(state, y=scores), self._target_dict_dim, act="softmax")
        values, words = topk(likely, k=self._topk_size)
        total = elementwise_add(log(values), reshape(scores, shape=[-1]), axis=0)
        return beam_search(ids, scores, words, total, self._beam_size, end_id=self._end_id, level=0)

    def __call__(self) -> tuple[Any, Any]:
        """(ids, scores) of the sentences found, LoDTensors of two levels: sentences of each source, words."""
        if self._status != "after":
            raise ArgumentError("BeamSearchDecoder: its sentences are available after its block")
        if self._ids_array is None or self._scores_array is None:
            raise ArgumentError("BeamSearchDecoder: the block must read_array with is_ids, and with is_scores")
        return beam_search_decode(
            ids=self._ids_array, scores=self._scores_array, beam_size=self._beam_size, end_id=self._end_id
        )

    def _outer(self) -> Block:
        outer = programs.default_main_program().current_block().parent
        if outer is None:
            raise ArgumentError("BeamSearchDecoder: states are updated inside `with decoder.block():`")
        return outer

    def _inside(self, method: str) -> None:
        if self._status != "inside":
            raise ArgumentError(f"BeamSearchDecoder.{method}: call it inside `with decoder.block():`")


def _declare_array(block: Block, name: str, like: BaseVariable) -> Variable:
    made = block.create_var(name=unique_name.generate(name), type=VarType.LOD_TENSOR_ARRAY, dtype=like.dtype)
    made.lod_level = like.lod_level
    return made
