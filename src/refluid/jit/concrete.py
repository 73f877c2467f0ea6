"""A function as a program, for one kind of arguments."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any

from refluid.core.callsite import raised_through
from refluid.core.errors import ModeError
from refluid.eager.variable import VarBase
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.jit import runtime
from refluid.jit.capture import Capture
from refluid.jit.errors import at_code, definition_of
from refluid.jit.grown import Grown, unstacked, with_grown
from refluid.jit.held import plain_scope
from refluid.jit.partial import Partial
from refluid.jit.rewrite.function import rewritten
from refluid.jit.runtime.structure import flatten, pack
from refluid.jit.runtime.undefined import NoValue, Undefined
from refluid.jit.specs import Tensors
from refluid.nn.layer import Layer
from refluid.params.create import ParamBase
from refluid.tensor.scope import Scope

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure


class Concrete:
    """The program of a function: its inputs, outputs and what it is bound to; callable like the function.

    Args:
        unknown: the batch size is left open (-1) for the tensors that have True here.
    """

    def __init__(self, function: types.FunctionType, call: Tensors, unknown: list[bool]):
        capture = Capture()
        self.main_program, self.startup_program = capture.program, capture.startup
        names = _feed_names(function, call)
        self.inputs = [
            capture.feed(name, var, (-1, *var.shape[1:]) if open_ else tuple(var.shape))
            for name, var, open_ in zip(names, call.variables, unknown, strict=True)
        ]
        with capture.building():
            args, kwargs = call.filled(list(self.inputs))
            try:
                result = rewritten(function, runtime)(*args, **kwargs)
            except ModeError as error:
                told = [
                    ("source", str(raised_through(error.__traceback__))),
                    ("translating", str(definition_of(function.__code__))),
                    ("advice", "a tensor has no value while its program is made; keep to operators, or do it outside"),
                ]
                raise ModeError(error.summary, [*error.details, *told]).with_traceback(error.__traceback__) from None
            result = with_grown(_result(function, result))
        for layer in (arg for arg in call.args if isinstance(arg, Layer)):
            _check_kept(layer, function)
        _make_parameters(capture)
        self.bound = capture.bound
        self.result = result
        # A result that the program does not compute is handed through: an input, a parameter, something of Python.
        self.leaves = flatten(result)
        computed = [var for leaf in self.leaves for var in _variables(leaf) if not self._is_given(var)]
        self.outputs = list({var.name: var for var in computed}.values())
        fetches = tuple(var.name for var in self.outputs)
        self.partial = Partial(self.main_program, tuple(names), fetches, self.bound, function.__qualname__)
        fetch_index = {name: i for i, name in enumerate(fetches)}
        feed_index = {name: i for i, name in enumerate(names)}
        self._sources = [_source(leaf, fetch_index, feed_index, self.bound) for leaf in self.leaves]
        self._single = len(self.leaves) == 1 and self.leaves[0] is result and self._sources[0][0] == "output"

    def _is_given(self, leaf: Variable) -> bool:
        untouched = leaf.op is None  # an input that an operator wrote over is computed
        return (leaf.is_data and untouched) or leaf.name in self.bound

    def __call__(self, variables: list[VarBase]) -> Structure:
        outs = self.partial(variables)
        if self._single:
            return outs[0]
        leaves = []
        for kind, value in self._sources:
            if kind == "grown":
                leaves.append(unstacked(outs[value[0]], outs[value[1]]))
            else:
                leaves.append(outs[value] if kind == "output" else variables[value] if kind == "input" else value)
        return pack(self.result, leaves)

    def output_variables(self) -> list[Variable]:
        """The tensors among the results, in their order."""
        return [var for leaf in self.leaves for var in _variables(leaf)[:1]]


def _variables(leaf: BaseVariable) -> list[Variable]:
    if isinstance(leaf, Grown):
        return [leaf.stacked, leaf.length]
    return [leaf] if isinstance(leaf, Variable) else []


def _source(
    leaf: BaseVariable, outputs: dict[str, int], feeds: dict[str, int], bound: dict[str, VarBase]
) -> tuple[str, Any]:
    if isinstance(leaf, Grown):
        return ("grown", (outputs[leaf.stacked.name], outputs[leaf.length.name]))
    if not isinstance(leaf, Variable):
        return ("value", leaf)
    if leaf.name in outputs:
        return ("output", outputs[leaf.name])
    return ("input", feeds[leaf.name]) if leaf.name in feeds else ("value", bound[leaf.name])


def _feed_names(function: types.FunctionType, call: Tensors) -> list[str]:
    """The inputs carry the names of the parameters they are given for."""
    parameters = list(inspect.signature(function).parameters)
    names: list[str] = []
    for i, arg in enumerate(call.args):
        base = parameters[i] if i < len(parameters) else parameters[-1] if parameters else "input"
        names += _numbered(base, arg)
    for name, arg in call.kwargs.items():
        names += _numbered(name, arg)
    unique: list[str] = []
    for name in names:
        n = 0
        while (candidate := name if n == 0 else f"{name}_{n}") in unique:
            n += 1
        unique.append(candidate)
    return unique


def _numbered(base: str, arg: object) -> list[str]:
    from refluid.jit.specs import Slot

    slots = [leaf for leaf in flatten(arg) if isinstance(leaf, Slot)]
    return [base] if len(slots) == 1 else [f"{base}_{i}" for i in range(len(slots))]


def _result(function: types.FunctionType, result: object) -> Structure:
    """What the function gave, checked."""
    for leaf in flatten(result):
        if isinstance(leaf, NoValue):
            return None
        if isinstance(leaf, Undefined):
            raise at_code(leaf.__dict__["reason"], function.__code__)
    return result


def _check_kept(layer: Layer, function: types.FunctionType) -> None:
    """A tensor of the program that a layer has kept would be gone with the call that made it."""
    for sublayer in (layer, *layer.sublayers()):
        for name, value in sublayer.__dict__.items():
            if any(isinstance(leaf, Variable) for leaf in flatten(value) if not isinstance(value, Program)):
                del sublayer.__dict__[name]
                raise at_code(
                    f"self.{name} keeps a tensor of {type(sublayer).__name__} from one call to the next, "
                    "which a program does not; return it, and pass it to the next call",
                    function.__code__,
                )


def _make_parameters(capture: Capture) -> None:
    """Parameters that functions such as fluid.layers.fc have declared in the program get their first values."""
    new_parameters = [p for p in capture.program.global_block().all_parameters() if p.name not in capture.bound]
    if not new_parameters:
        return
    scope = Scope()
    Executor().run(capture.startup, scope=scope)
    for param in new_parameters:
        var = scope.find_var(param.name)
        assert var is not None
        capture.bound[param.name] = ParamBase(var.get_tensor().value(), param.name, trainable=param.trainable)


def saving_scope(concrete: Concrete) -> Scope:
    return plain_scope(concrete.bound)
