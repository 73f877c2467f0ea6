"""Evaluators: metrics that a program accumulates in persistable variables; fluid.metrics took their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core import mode, unique_name
from refluid.core.errors import ArgumentError, ModeError, NotDefinedError
from refluid.executor.executor import Executor
from refluid.ir.program import Program, program_guard
from refluid.ir.variable import Variable
from refluid.layers.compare import equal
from refluid.layers.creation import fill_constant
from refluid.layers.helper import LayerHelper
from refluid.layers.metric import edit_distance
from refluid.layers.reduce import reduce_sum
from refluid.layers.tensor import cast
from refluid.metrics.sequences import scores
from refluid.ops import registry
from refluid.params.initializer import Constant
from refluid.tensor.scope import global_scope

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class Evaluator:
    """Base: `states` are persistable, `metrics` are those of a batch, to fetch."""

    def __init__(self, name: str, **kwargs: object):
        mode.current().demand_program(
            ModeError(f"{type(self).__name__}: evaluators are parts of a program; use fluid.metrics")
        )
        self.states: list[Variable] = []
        self.metrics: list[Variable] = []
        self.helper = LayerHelper(name, **kwargs)

    def reset(self, executor: Executor, reset_program: Program | None = None) -> None:
        """Set the states to zero, by a program that is run once (`reset_program`, if given, gets its operators)."""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            for state in self.states:
                zeroed = program.global_block()._clone_variable(state)
                fill_constant(state.shape, state.dtype, 0.0, out=zeroed)
        executor.run(program)

    def eval(self, executor: Executor, eval_program: Program | None = None) -> object:
        """The metric over all runs since the last reset."""
        raise NotDefinedError(f"{type(self).__name__} has no eval; write one in your class")

    def _create_state(self, suffix: str, dtype: object, shape: object) -> Variable:
        """A persistable variable. It starts at zero, for programs that never call `reset`."""
        name = f"{unique_name.generate(self.helper.name)}_{suffix}"
        state = self.helper.create_global_variable(persistable=True, name=name, dtype=dtype, shape=shape)
        self.helper.set_variable_initializer(state, Constant(0.0))
        self.states.append(state)
        return state

    def _gather(self, state: Variable, batch: Variable) -> None:
        self.helper.append_op("sum", inputs={"X": [state, batch]}, outputs={"Out": [state]})

    def _values(self) -> list[np.ndarray]:
        """The present states. Unlike Fluid's, an eval_program is not needed to read them."""
        values = []
        for state in self.states:
            var = global_scope().find_var(state.name)
            if var is None or not var.is_initialized():
                raise ArgumentError(
                    f"{type(self).__name__}.eval: {state.name} has no value; call reset(executor) first"
                )
            values.append(np.array(var.get_tensor()))
        return values


class ChunkEvaluator(Evaluator):
    """Precision, recall and F1 of chunks; see fluid.layers.chunk_eval for the arguments."""

    def __init__(
        self,
        input: BaseVariable,
        label: BaseVariable,
        chunk_scheme: str,
        num_chunk_types: int,
        excluded_chunk_types: Sequence[int] | None = None,
    ):
        super().__init__("chunk_eval")
        self.num_infer_chunks = self._create_state("num_infer_chunks", "int64", [1])
        self.num_label_chunks = self._create_state("num_label_chunks", "int64", [1])
        self.num_correct_chunks = self._create_state("num_correct_chunks", "int64", [1])
        precision, recall, f1, *counts = registry.get("chunk_eval")(
            input,
            label,
            chunk_scheme=chunk_scheme,
            num_chunk_types=num_chunk_types,
            excluded_chunk_types=list(excluded_chunk_types or []),
        )
        for state, count in zip(self.states, counts, strict=True):
            self._gather(state, count)
        self.metrics += [precision, recall, f1]

    def eval(self, executor: Executor, eval_program: Program | None = None) -> tuple[Any, Any, Any]:
        """(precision, recall, F1), each of shape [1]."""
        found, true, right = self._values()
        precision, recall, f1 = scores(found, true, right)
        return _one(precision), _one(recall), _one(f1)


class EditDistance(Evaluator):
    """The mean edit distance, and the fraction of sequences with an error; see fluid.layers.edit_distance."""

    def __init__(
        self, input: BaseVariable, label: BaseVariable, ignored_tokens: list[int] | None = None, **kwargs: object
    ):
        super().__init__("edit_distance", **kwargs)
        self.total_distance = self._create_state("total_distance", "float32", [1])
        self.seq_num = self._create_state("seq_num", "int64", [1])
        self.instance_error = self._create_state("instance_error", "int64", [1])
        distances, seq_num = edit_distance(input, label, ignored_tokens=ignored_tokens)
        right = reduce_sum(cast(equal(distances, fill_constant([1], "float32", 0.0)), "int64"))
        errors = seq_num - right
        total = reduce_sum(distances)
        for state, batch in zip(self.states, (total, seq_num, errors), strict=True):
            self._gather(state, batch)
        self.metrics += [total, errors]

    def eval(self, executor: Executor, eval_program: Program | None = None) -> tuple[Any, Any]:
        """(mean distance, fraction of sequences with an error), each of shape [1]."""
        total, count, errors = self._values()
        if not count:
            raise ArgumentError("EditDistance.eval: there is no data; run the program first")
        return _one(total / count), _one(errors / count)


def _one(value: object) -> np.ndarray:
    return np.asarray(value, "float32").reshape(1)
