"""ProgramTranslator: the switch, and a look at what declarative functions become."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.mode import per_mode
from refluid.eager.base import guard
from refluid.executor.executor import Executor
from refluid.ir.clone import clone
from refluid.ir.program import Program
from refluid.ir.prune import needed_ops
from refluid.ir.variable import Variable
from refluid.jit import runtime
from refluid.jit.concrete import Concrete, saving_scope
from refluid.jit.function import Declarative, Switch, declarative, function_of
from refluid.jit.rewrite.function import readable, rewritten
from refluid.saving.inference import save_inference_model
from refluid.tensor.scope import Scope, scope_guard

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class ProgramTranslator:
    """There is one; every call of the class gives it."""

    _instance: ProgramTranslator | None = None
    _functions: dict[Any, Declarative]

    def __new__(cls, *args: object, **kwargs: object) -> ProgramTranslator:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance._functions = {}
        return cls._instance

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        return cls()

    @classmethod
    def reset(cls) -> None:
        """Forget all programs and switch translation on."""
        translator = cls()
        translator._functions = {}
        Switch.on, Switch.last = True, None

    def enable(self, enable_declarative: bool) -> None:
        """Run declarative functions as programs, or (False) as plain Python."""
        if not isinstance(enable_declarative, bool):
            raise ArgumentError(
                f"ProgramTranslator.enable: expected True or False, got {type(enable_declarative).__name__}"
            )
        Switch.on = enable_declarative

    @property
    def enable_declarative(self) -> bool:
        return Switch.on

    def get_output(self, dygraph_func: Callable, *args: object, **kwargs: object) -> Structure:
        """What the function gives, computed by its program."""
        function, args = self._declarative(dygraph_func, args)
        with _imperative():
            return function(*args, **kwargs)

    def get_func(self, dygraph_func: Callable) -> Callable:
        """The translated function, to be called while a program is built."""
        inner = function_of(dygraph_func)
        if not Switch.on:
            return dygraph_func
        made = rewritten(inner, runtime)
        return types.MethodType(made, dygraph_func.__self__) if isinstance(dygraph_func, types.MethodType) else made

    def get_program(
        self, dygraph_func: Callable, *args: object, **kwargs: object
    ) -> tuple[Program, Program, list[Variable], list[Variable]]:
        """(main program, startup program, inputs, outputs) of a call with these arguments."""
        if not Switch.on:
            raise EnforceNotMet("ProgramTranslator.get_program: translation is off; call enable(True) first")
        function, args = self._declarative(dygraph_func, args)
        with _imperative():
            concrete = Switch.last = function.concrete(*args, **kwargs)
        return concrete.main_program, concrete.startup_program, concrete.inputs, concrete.output_variables()

    def get_code(self, dygraph_func: Callable) -> str:
        """The translated source, for reading."""
        return readable(function_of(dygraph_func))

    def get_program_cache(self) -> ProgramCache:
        return ProgramCache(self)

    def save_inference_model(self, dirname: str, feed: list[int] | None = None, fetch: list[int] | None = None) -> None:
        """Write the program that ran last, with its parameters.

        Args:
            feed: which inputs of the function to keep, by number; all by default.
            fetch: which outputs, by number; all by default.
        """
        concrete = Switch.last
        if concrete is None:
            raise EnforceNotMet(
                "ProgramTranslator.save_inference_model: no declarative function has run yet; call the model once"
            )
        save_program(
            "ProgramTranslator.save_inference_model", dirname, concrete.main_program, concrete.inputs,
            concrete.output_variables(), saving_scope(concrete), feed, fetch,
        )  # fmt: skip

    def _declarative(self, func: Any, args: tuple) -> tuple[Declarative, tuple]:
        """The declarative function of a function or method, kept so that its programs are."""
        if isinstance(func, types.MethodType):
            func, args = func.__func__, (func.__self__, *args)
        if isinstance(func, Declarative):
            return func, args
        inner = function_of(func)
        if inner not in self._functions:
            self._functions[inner] = declarative(inner)
        return self._functions[inner], args


@per_mode
def _imperative() -> contextlib.AbstractContextManager[None]:
    """The imperative mode, in which arguments become variables; programs are asked for outside it too."""
    return guard()


_imperative.imperative(contextlib.nullcontext)


class ProgramCache:
    """The program that ran last, as 1.8 shows it."""

    def __init__(self, translator: ProgramTranslator):
        self._translator = translator

    def last(self) -> tuple[Any, Concrete]:
        if Switch.last is None:
            raise EnforceNotMet("ProgramCache.last: no declarative function has run yet")
        return Switch.last.inputs, Switch.last

    def concrete_programs(self) -> Iterator[Concrete]:
        for function in self._translator._functions.values():
            yield from function._programs.exact.values()


def save_program(
    what: str, dirname: str, program: Program, inputs: list[Variable], outputs: list[Variable], scope: Scope,
    feed: Sequence[int] | None, fetch: object,
) -> None:  # fmt: skip
    """Save the chosen inputs and outputs of a recorded program as an inference model."""
    feeds = [var.name for var in chosen(what, "feed", inputs, feed)]
    targets = chosen(what, "fetch", outputs, fetch)
    if not targets:
        raise ArgumentError(f"{what}: there is no tensor to fetch")
    needed = needed_ops(program.global_block().ops, {var.name for var in targets}, set())
    read = {name for op in needed for name in op.input_arg_names} | {var.name for var in targets}
    for i, var in enumerate(inputs):
        if var.name in read and var.name not in feeds:
            raise ArgumentError(f"{what}: what fetch names is computed from input {i} ({var.name}); add {i} to feed")
    saved = clone(program)
    for block in saved.blocks:  # what prints and asserts is Python of this process
        block.ops = [op for op in block.ops if op.type != "py_func" or op.output_arg_names]
    with scope_guard(scope):
        save_inference_model(dirname, feeds, [saved.global_block().var(var.name) for var in targets], Executor(), saved)


def chosen(what: str, argument: str, variables: list[Variable], indices: object) -> list[Variable]:
    if indices is None:
        return list(variables)
    if not isinstance(indices, list | tuple) or not all(type(i) is int for i in indices):
        raise ArgumentError(f"{what}: {argument} must be a list of ints, got {indices!r:.60}")
    for i in indices:
        if not 0 <= i < len(variables):
            raise ArgumentError(f"{what}: {argument} has {i}, but there are {len(variables)}, numbered from 0")
    if len(set(indices)) != len(indices):
        raise ArgumentError(f"{what}: {argument} must name each once, got {list(indices)}")
    return [variables[i] for i in indices]
