"""TracedLayer: what a layer does with one set of inputs, as a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from refluid.core import mode, unique_name
from refluid.core.callsite import user_site
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.eager.base import enabled, tape, to_variable
from refluid.eager.variable import VarBase
from refluid.executor.compiled import BuildStrategy, CompiledProgram, ExecutionStrategy
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.jit.capture import Capture
from refluid.jit.errors import TranslationError
from refluid.jit.function import Switch
from refluid.jit.held import plain_scope
from refluid.jit.runtime.structure import flatten
from refluid.jit.translator import save_program
from refluid.nn.layer import Layer
from refluid.ops.registry import OpDef


class TracedVar(VarBase):
    """A variable that was computed from the inputs of a trace, while the trace goes on.

    What Python does with its value is lost in the program, so it is refused: the program would do for all inputs what
    was right for these.
    """

    _shadow: Variable

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TranslationError(
            f"TracedLayer.trace: Python asks for the value of {self._shadow.name}, which depends on the inputs; the "
            "program would hold the answer for these inputs for ever. If the value decides what is computed "
            "(if, while, for), decorate forward with @declarative (ProgramTranslator) instead of tracing it",
            [("source", str(user_site()))],
        )

    numpy = item = __array__ = __bool__ = __float__ = __int__ = __index__ = __nonzero__ = __long__ = _refuse

    def detach(self) -> VarBase:
        out = super().detach()
        out.__class__ = TracedVar
        out._shadow = self._shadow.detach() if not mode.current.imperative else _detached(self._shadow)  # type: ignore[attr-defined]
        return out


def _detached(var: Variable) -> Variable:
    copied = var.block.create_var(name=unique_name.generate(f"{var.name}.detach"), shape=var.shape, dtype=var._dtype)
    var.block.append_op("assign", {"X": var}, {"Out": copied})
    copied.stop_gradient = True
    return copied


class _Trace:
    """Records every operator call of the tape into a program, besides running it."""

    def __init__(self, inputs: list[VarBase]):
        self.capture = Capture()
        self.inputs = inputs
        self.traced: list[VarBase] = []  # all that was computed, kept for the time of the trace
        self.feeds: list[Variable] = []
        self.run: Callable

    @contextmanager
    def recording(self) -> Iterator[None]:
        classes = [type(var) for var in self.inputs]
        for i, var in enumerate(self.inputs):
            feed = self.capture.feed(f"feed_{i}", var, tuple(var.shape))
            self.feeds.append(feed)
            var.__class__, var._shadow = TracedVar, feed  # type: ignore[attr-defined]
        # Whoever asks whether the imperative mode is on must still hear yes, so the tape itself runs the calls.
        # The program of a declarative function would be one call that cannot be recorded: it runs as plain Python.
        declarative, Switch.on = Switch.on, False
        run, fuses = tape.run, tape.fuses
        tape.fuses = False  # the program is to hold Fluid's operators
        self.run = lambda *call: self._run(run, *call)
        tape.run = self.run  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            del tape.run  # the method of the class shows again
            tape.fuses, Switch.on = fuses, declarative
            for var in self.traced:
                var.__class__ = VarBase
                var.__dict__.pop("_shadow", None)
            for var, cls in zip(self.inputs, classes, strict=True):
                var.__class__ = cls
                var.__dict__.pop("_shadow", None)

    def _run(self, run: Callable, op: OpDef, inputs: tuple, attrs: dict[str, Any], outs: Any, name: Any) -> Any:
        shadows = tuple(_mapped(value) for value in inputs)
        targets = None if outs is None else {slot: _mapped(value) for slot, value in outs.items()}
        depends = any(isinstance(value, TracedVar) for value in flatten(list(inputs)))
        tape.run = run  # type: ignore[method-assign]  # it may call itself
        try:
            result = run(op, inputs, attrs, outs, name)
        finally:
            tape.run = self.run  # type: ignore[method-assign]
        with self.capture.building():
            recorded = self.capture.run(op, shadows, attrs, targets, name)
        for made, shadow in zip(_slots(op, result), _slots(op, recorded), strict=True):
            for one, variable in zip(flatten(made), flatten(shadow), strict=False):
                if type(one) is VarBase and isinstance(variable, Variable) and not one.persistable:
                    self.traced.append(one)
                    if depends:
                        one.__class__, one._shadow = TracedVar, variable  # type: ignore[attr-defined]
                    else:  # of parameters and constants alone: Python may look at it
                        self.capture.known[id(one)] = variable
        return result


def _slots(op: OpDef, result: Any) -> list[Any]:
    return [result] if op.single else list(result)


def _mapped(value: Any) -> Any:
    if isinstance(value, TracedVar):
        return value._shadow
    return [_mapped(one) for one in value] if isinstance(value, list | tuple) else value


class TracedLayer:
    """A program that does what a layer did; made by `TracedLayer.trace`, never by calling the class."""

    _program: Program
    _inputs: list[Variable]
    _outputs: list[Variable]
    _bound: dict[str, VarBase]

    def __init__(self, *_: Any, **__: Any):
        raise EnforceNotMet(
            "TracedLayer: it is not made by its constructor; use `outputs, traced = TracedLayer.trace(layer, inputs)`"
        )

    @staticmethod
    def trace(layer: Layer, inputs: Any) -> tuple[Any, TracedLayer]:
        """Run `layer` on `inputs` and record what it does; returns (outputs, the traced layer).

        Control flow of Python is recorded as it went for these inputs; where it asks for a value that depends on them,
        that is an error.
        """
        if not enabled():
            raise EnforceNotMet("TracedLayer.trace: call it inside fluid.dygraph.guard()")
        if not isinstance(layer, Layer):
            raise ArgumentError(f"TracedLayer.trace: layer must be a fluid.dygraph.Layer, got {type(layer).__name__}")
        if not isinstance(inputs, list | tuple):
            inputs = [inputs]
        given = [to_variable(one) if isinstance(one, np.ndarray) else one for one in inputs]
        for one in given:
            if not isinstance(one, VarBase):
                raise ArgumentError(
                    f"TracedLayer.trace: inputs must be a list of variables, it holds {type(one).__name__}"
                )
        if len({id(one) for one in given}) != len(given):
            raise ArgumentError("TracedLayer.trace: inputs must be different variables")
        trace = _Trace(given)
        with trace.recording():
            outputs = layer(*given)
            found = [getattr(one, "_shadow", None) for one in flatten(outputs)]
            for one, shadow in zip(flatten(outputs), found, strict=True):
                if shadow is None:
                    told = (
                        f"a variable {one.shape}" if isinstance(one, VarBase) else f"{type(one).__name__} {one!r:.40}"
                    )
                    raise TranslationError(
                        f"TracedLayer.trace: {type(layer).__name__} gives {told}, which no operator computes from the "
                        "inputs; let forward give variables that are"
                    )
        made = TracedLayer.__new__(TracedLayer)
        made._program, made._inputs = trace.capture.program, trace.feeds
        made._outputs = [one for one in found if one is not None]
        made._bound = trace.capture.bound
        made._program.random = Program().random
        made._compiled = None
        return outputs, made

    _compiled: CompiledProgram | None

    @property
    def program(self) -> Program:
        return self._program

    def __call__(self, inputs: Any) -> list[np.ndarray]:
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

    def set_strategy(self, build_strategy: Any = None, exec_strategy: Any = None) -> None:
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


def tape_place() -> Any:
    """The place that the imperative mode works on."""
    from refluid.core.places import CPUPlace, CUDAPlace

    return CUDAPlace(tape.device.index or 0) if tape.device.type == "cuda" else CPUPlace()
