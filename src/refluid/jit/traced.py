"""TracedLayer: what a layer does with one set of inputs, as a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from refluid.core import mode
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.places import CPUPlace, CUDAPlace, Place
from refluid.eager.base import tape, to_variable
from refluid.eager.variable import VarBase
from refluid.executor.compiled import BuildStrategy, CompiledProgram, ExecutionStrategy
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.jit.errors import TranslationError
from refluid.jit.held import plain_scope
from refluid.jit.runtime.structure import flatten
from refluid.jit.trace import Trace
from refluid.jit.translator import save_program
from refluid.nn.layer import Layer


class TracedLayer:
    """A program that does what a layer did; made by `TracedLayer.trace`, never by calling the class."""

    _program: Program
    _inputs: list[Variable]
    _outputs: list[Variable]
    _bound: dict[str, VarBase]

    def __init__(self, *_: object, **__: object):
        raise EnforceNotMet(
            "TracedLayer: it is not made by its constructor; use `outputs, traced = TracedLayer.trace(layer, inputs)`"
        )

    @staticmethod
    def trace(layer: Layer, inputs: Any) -> tuple[Any, TracedLayer]:
        """Run `layer` on `inputs` and record what it does; returns (outputs, the traced layer).

        Control flow of Python is recorded as it went for these inputs; where it asks for a value that depends on them,
        that is an error.
        """
        mode.current().demand_imperative(EnforceNotMet("TracedLayer.trace: call it inside fluid.dygraph.guard()"))
        if not isinstance(layer, Layer):
            raise ArgumentError(f"TracedLayer.trace: layer must be a fluid.dygraph.Layer, got {type(layer).__name__}")
        if not isinstance(inputs, list | tuple):
            inputs = [inputs]
        variables = [to_variable(var) if isinstance(var, np.ndarray) else var for var in inputs]
        for var in variables:
            if not isinstance(var, VarBase):
                raise ArgumentError(
                    f"TracedLayer.trace: inputs must be a list of variables, it holds {type(var).__name__}"
                )
        if len({id(var) for var in variables}) != len(variables):
            raise ArgumentError("TracedLayer.trace: inputs must be different variables")
        trace = Trace(variables)
        with trace.tracing():
            outputs = layer(*variables)
            shadows = [trace.shadow(var) for var in flatten(outputs)]
            for var, shadow in zip(flatten(outputs), shadows, strict=True):
                if shadow is None:
                    told = (
                        f"a variable {var.shape}" if isinstance(var, VarBase) else f"{type(var).__name__} {var!r:.40}"
                    )
                    raise TranslationError(
                        f"TracedLayer.trace: {type(layer).__name__} gives {told}, which no operator computes from the "
                        "inputs; let forward give variables that are"
                    )
        traced = TracedLayer.__new__(TracedLayer)
        traced._program, traced._inputs = trace.capture.program, trace.feeds
        traced._outputs = [var for var in shadows if var is not None]
        traced._bound = trace.capture.bound
        traced._program.random = Program().random
        traced._compiled = None
        return outputs, traced

    _compiled: CompiledProgram | None

    @property
    def program(self) -> Program:
        return self._program

    def __call__(self, inputs: object) -> list[np.ndarray]:
        """Run the program on variables or arrays; gives a list of arrays, as the Executor that runs it does."""
        if not isinstance(inputs, list | tuple):
            raise ArgumentError(f"TracedLayer: inputs must be a list, got {type(inputs).__name__}")
        if len(inputs) != len(self._inputs):
            raise ArgumentError(f"TracedLayer: the layer was traced with {len(self._inputs)} inputs, got {len(inputs)}")
        feed = {
            var.name: one.get_tensor() if isinstance(one, VarBase) else one
            for var, one in zip(self._inputs, inputs, strict=True)
        }
        program = self._compiled or self._program
        return Executor(tape_place()).run(program, feed=feed, fetch_list=self._outputs, scope=plain_scope(self._bound))

    def set_strategy(
        self, build_strategy: BuildStrategy | None = None, exec_strategy: ExecutionStrategy | None = None
    ) -> None:
        """Run as a CompiledProgram with these strategies from now on."""
        if build_strategy is not None and not isinstance(build_strategy, BuildStrategy):
            raise ArgumentError(
                f"set_strategy: build_strategy must be a fluid.BuildStrategy, got {type(build_strategy).__name__}"
            )
        if exec_strategy is not None and not isinstance(exec_strategy, ExecutionStrategy):
            raise ArgumentError(
                f"set_strategy: exec_strategy must be a fluid.ExecutionStrategy, got {type(exec_strategy).__name__}"
            )
        self._compiled = CompiledProgram(self._program, build_strategy)

    def save_inference_model(self, dirname: str, feed: list[int] | None = None, fetch: list[int] | None = None) -> None:
        """Write the program and its parameters to a folder.

        Args:
            feed: which inputs to keep, by number; all by default.
            fetch: which outputs, by number; all by default.
        """
        scope = plain_scope(self._bound)
        save_program(
            "TracedLayer.save_inference_model", dirname, self._program, self._inputs, self._outputs, scope, feed, fetch
        )


def tape_place() -> Place:
    """The place that the imperative mode works on."""
    device = tape().device
    return CUDAPlace(device.index or 0) if device.type == "cuda" else CPUPlace()
