"""Executor: runs programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch

from refluid.core import flags
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.later import Later
from refluid.core.places import CPUPlace, Place, device_of
from refluid.core.warn import warn_once
from refluid.executor import blocks as blocks  # registers the block-carrying operators
from refluid.executor.compiled import CompiledProgram
from refluid.executor.compiling.plan import CompilingPlan
from refluid.executor.data_parallel import DataParallel, feeds_of, merge
from refluid.executor.feed import feed_value, other_dtypes
from refluid.executor.plan import Plan
from refluid.ir import program as programs
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Variable
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope, global_scope

if TYPE_CHECKING:
    from refluid.tensor.lod import LoD

_NONE: tuple = ()
Feed: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
"""What is fed: {name: value}, or one such mapping for every place."""

Fetches: TypeAlias = Variable | str | Sequence[Any] | None
"""What is fetched: variables, their names, and what minimize() returns."""

at_close: list[Callable[[], None]] = []  # what Executor.close() does besides; distributed/ adds to it


class Executor:
    """Runs programs on a place.

    A program is compiled into a plan the first time that it runs with a set of feeds and fetches, and whenever it has
    changed since; see `Program.to_source`.

    Args:
        place: the place to compute on; the CPU if None.

    Example:
        >>> x = fluid.data("x", [None, 2])
        >>> y = fluid.layers.reduce_sum(x, dim=1)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> _ = exe.run(fluid.default_startup_program())
        >>> exe.run(feed={"x": np.float32([[1, 2], [3, 4]])}, fetch_list=[y])[0].tolist()
        [3.0, 7.0]
    """

    train_from_dataset = Later("refluid.data.ctr.train:run_from_dataset")
    infer_from_dataset = train_from_dataset

    def __init__(self, place: Place | None = None):
        self.place = CPUPlace() if place is None else place
        try:
            self.device = device_of(self.place)
        except EnforceNotMet as error:
            error.within("Executor", [])
            raise
        self.optimize = True  # False: plans call one kernel per operator, as the program has them
        self._closed = False

    def run(
        self,
        program: Program | CompiledProgram | None = None,
        feed: Any = None,
        fetch_list: Fetches | None = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        return_merged: bool = True,
        use_prune: bool = False,
    ) -> list[Any]:
        """Run a program.

        Args:
            program: the program, or its CompiledProgram; the default main program if None.
            feed: {name: numpy array, LoDTensor, list or number}; memory of arrays may be shared while running.
            fetch_list: variables or names whose values to return.
            feed_var_name: no effect; feeds need no variable of their own.
            fetch_var_name: no effect, likewise.
            scope: the scope of persistable variables; the global scope if None.
            return_numpy: return numpy arrays; LoDTensors, which carry their LoD, if False.
            use_program_cache: no effect; plans are always cached.
            return_merged: of a program with data parallelism, one value for all places; a list of them if False.
            use_prune: leave out what the fetches do not need, updates of parameters too.

        Returns:
            A list with one value per entry of fetch_list.
        """
        if self._closed:
            raise EnforceNotMet("Executor.run: this executor is closed")
        fuse = False
        try:
            if isinstance(program, CompiledProgram):
                fuse = bool(program.build_strategy.enable_auto_fusion)
                if program.predictor is not None:
                    return program.predictor.run(feed)
                if program.parallel is not None:
                    return self._run_parallel(
                        program.parallel, feed, fetch_list, scope, return_numpy, return_merged, fuse
                    )
                program = program.program
            return self._run(program, feed, fetch_list, scope, return_numpy, use_prune, fuse)
        except EnforceNotMet as error:
            raise error.shortened() from error.__cause__

    def _run(
        self,
        program: object,
        feed: Feed,
        fetch_list: Fetches,
        scope: object,
        return_numpy: bool,
        use_prune: bool,
        fuse: bool,
    ) -> list:
        if program is None:
            program = programs.default_main_program()
        elif not isinstance(program, Program):
            raise ArgumentError(f"Executor.run: program must be a Program, got {type(program).__name__}")
        scope = _scope(scope)
        fetches, updates = _fetches(fetch_list)
        feeds: tuple[str, ...] = _NONE
        values: list[Any] = []
        lods: list[Any] = []
        with_lod: frozenset[str] = frozenset()
        if program.readers:
            feed = _read(program, feed)
        if feed is not None:
            feeds, values, lods, with_lod = self._feeds(program, feed)
        computed = _of_program(fetches, program, scope)
        plan = self._plan(program, feeds, with_lod, computed, updates if use_prune else None, fuse)
        if other := other_dtypes(feeds, values, program.global_block().vars):
            plan.check_dtypes(other)
        results, result_lods = plan.run(values, lods, scope)
        if computed is not fetches:
            results, result_lods = _with_scope(fetches, computed, results, result_lods, scope)
        if return_numpy:
            return [to_numpy(*one) for one in zip(results, fetches, result_lods, strict=True)]
        return [_wrap(value, lod) for value, lod in zip(results, result_lods, strict=True)]

    def _run_parallel(
        self,
        parallel: DataParallel,
        feed: Feed,
        fetch_list: Fetches,
        scope: Scope | None,
        return_numpy: bool,
        return_merged: bool,
        fuse: bool,
    ) -> list:
        variables = parallel.program.global_block().vars
        count = len(parallel.places_for(self.place))

        def convert(name: str, value: object) -> Any:
            return feed_value(name, value, variables.get(name), self.device)

        fed, count = feeds_of(feed or {}, parallel, count, convert)
        fetches, _ = _fetches(fetch_list)
        scope = _scope(scope)
        replicated = parallel.replicated(count, tuple(fed), parallel.rings(scope))
        names = tuple(replicated.name(name, place) for name in fed for place in range(count))
        values = [value for parts in fed.values() for value, _ in parts]
        lods = [lod for parts in fed.values() for _, lod in parts]
        with_lod = frozenset(name for name, lod in zip(names, lods, strict=True) if lod is not None)
        wanted = tuple(replicated.name(name, place) for name in fetches for place in range(count))
        plan = self._plan(replicated.program, names, with_lod, wanted, None, fuse)
        results, result_lods = plan.run(values, lods, scope)

        def given(name: str, value: object, lod: LoD | None) -> Any:
            return to_numpy(value, name, lod) if return_numpy else _wrap(value, lod)

        fetched: list[Any] = []
        for i, name in enumerate(fetches):
            part = slice(i * count, (i + 1) * count)
            if return_merged:
                fetched.append(given(name, *merge(name, results[part], result_lods[part])))
            else:
                fetched.append([given(name, *one) for one in zip(results[part], result_lods[part], strict=True)])
        return fetched

    def _feeds(self, program: Program, feed: Feed) -> tuple[tuple[str, ...], list[Any], list[Any], frozenset[str]]:
        if type(feed) is not dict and isinstance(feed, list | tuple):
            if len(feed) > 1 or not all(isinstance(one, dict) for one in feed):
                raise ArgumentError(
                    f"Executor.run: feed must be a dict, got a list of {len(feed)}; one dict per device is for "
                    "CompiledProgram.with_data_parallel"
                )
            feed = feed[0] if feed else {}
        if not isinstance(feed, dict):
            raise ArgumentError(f"Executor.run: feed must be a dict of name: value, got {type(feed).__name__}")
        variables = program.global_block().vars
        names = tuple(feed)
        if not variables.keys() >= feed.keys():
            names = _known_feeds(names, program)
        values, lods = [], []
        for name in names:
            t, lod = feed_value(name, feed[name], variables[name], self.device)
            values.append(t)
            lods.append(lod)
        with_lod = (
            frozenset(n for n, lod in zip(names, lods, strict=True) if lod is not None) if any(lods) else frozenset()
        )
        return names, values, lods, with_lod

    def _plan(
        self, program: Program, feeds: tuple, with_lod: frozenset, fetches: tuple, kept: tuple[Operator, ...] | None,
        fuse: bool = False,
    ) -> Plan:  # fmt: skip
        """The plan of a program; of what its fetches and the operators `kept` need, unless that is None."""
        plans = program.plans
        if plans.get("version") != program.version:
            plans.clear()
            plans["version"] = program.version
        fuse = fuse or flags.FLAGS["FLAGS_refluid_compile"]
        key = (feeds, with_lod, fetches, self.device, flags.FLAGS["FLAGS_check_nan_inf"], kept, self.optimize, fuse)
        plan = plans.get(key)
        if plan is None:
            source = program if kept is None else program._prune([*fetches, *kept], feeds)
            try:
                kind = CompilingPlan if fuse else Plan
                plan = plans[key] = kind(source, feeds, with_lod, fetches, self.device, self.optimize)
            except (SyntaxError, RecursionError) as error:  # Python has 100 levels, 20 of them loops
                raise EnforceNotMet(
                    f"Executor.run: the {len(source.blocks)} blocks of the program are nested too deeply for a "
                    f"Python function ({str(error).split(' (')[0]}); each branch of a switch_case is one deeper"
                ) from None
        return plan

    def close(self) -> None:
        """Say that this executor is done, to parameter servers too; running it again is an error."""
        self._closed = True
        for leave in at_close:
            leave()


def _read(program: Program, feed: Any) -> dict[str, Any]:
    """The feed with what the program's readers have for it; a reader is not asked for what is all fed."""
    full = dict(feed[0] if isinstance(feed, list | tuple) and len(feed) == 1 else feed or {})
    for reader in program.readers:
        if not all(name in full for name in reader.names):
            full.update(reader.next_feed())
    return full


def _known_feeds(feeds: tuple[str, ...], program: Program) -> tuple[str, ...]:
    """The feeds that the program has variables for; Fluid ignores the others."""
    variables = program.global_block().vars
    known = ", ".join(sorted(var.name for var in variables.values() if var.is_data)) or "none"
    for name in feeds:
        if name not in variables:
            warn_once(f"feed: the program has no variable {name!r}; its data are {known}")
    return tuple(name for name in feeds if name in variables)


def _fetches(fetch_list: Fetches) -> tuple[tuple[str, ...], tuple[Operator, ...]]:
    """Names of what to fetch, and the operators of minimize() that programs put beside it, which give nothing."""
    if fetch_list is None:
        return _NONE, _NONE
    if type(fetch_list) is not list:
        if isinstance(fetch_list, Variable | str):
            fetch_list = [fetch_list]
        elif not isinstance(fetch_list, list | tuple):
            raise ArgumentError(
                f"Executor.run: fetch_list must be a list of variables or names, got {type(fetch_list).__name__}"
            )
    names: list[str] = []
    updates: list[Operator] = []
    for entry in _flat(fetch_list):
        name = entry if isinstance(entry, str) else getattr(entry, "name", None)
        if isinstance(name, str):
            names.append(name)
        elif isinstance(entry, Operator):
            updates.append(entry)
        else:
            raise ArgumentError(
                f"Executor.run: fetch_list must hold variables or their names, got {type(entry).__name__} {entry!r:.60}"
            )
    return tuple(names), tuple(updates)


def _flat(fetch_list: Iterable[Any]) -> Iterator[Any]:
    """The entries of a fetch list. Fluid: one list may be nested, and of a tuple the first counts, as of minimize()."""
    for entry in fetch_list:
        if isinstance(entry, tuple) and entry and isinstance(entry[0], list | tuple):
            entry = list(entry[0])
        if isinstance(entry, list):
            yield from entry
        else:
            yield entry


def _scope(scope: object) -> Scope:
    if scope is None:
        return global_scope()
    if not isinstance(scope, Scope):
        raise ArgumentError(f"Executor.run: scope must be a fluid.Scope, got {type(scope).__name__}")
    return scope


def to_numpy(value: object, name: str, lod: LoD | None = None) -> Any:
    """A numpy array of its own memory."""
    if lod is not None or (isinstance(value, LoDTensor) and value.lod_value is not None):
        raise EnforceNotMet(
            f"fetch_list: {name!r} has a LoD, which a numpy array cannot hold; run with return_numpy=False and take "
            "np.array() of the LoDTensor for the values alone"
        )
    if isinstance(value, torch.Tensor):
        # Copies are C-contiguous whatever the layout.
        return value.numpy().copy() if value.is_cpu else value.numpy(force=True)
    if isinstance(value, list | LoDTensor):
        return [to_numpy(v, name) for v in value] if isinstance(value, list) else np.array(value)
    if value is None:
        warn_once(
            f"fetch_list: {name!r} has no value; run the startup program first: "
            "exe.run(fluid.default_startup_program()), in the same scope"
        )
    return value


def _wrap(value: object, lod: LoD | None) -> Any:
    if value is None:
        return LoDTensor()
    return LoDTensor.of(value.clone(), lod) if isinstance(value, torch.Tensor) else value


def _of_program(fetches: tuple[str, ...], program: Program, scope: Scope) -> tuple[str, ...]:
    """The fetches that the program has variables for, or nobody has; Fluid takes the others from the scope."""
    block = program.global_block()
    if block.vars.keys() >= {*fetches}:
        return fetches
    return tuple(name for name in fetches if block.find_var(name) is not None or scope.find_var(name) is None)


def _with_scope(
    fetches: tuple[str, ...], computed: tuple[str, ...], values: tuple, lods: tuple, scope: Scope
) -> tuple[tuple, tuple]:
    """All that is fetched: what the program has computed, and what the scope alone has."""
    by_name = dict(zip(computed, zip(values, lods, strict=True), strict=True))
    for name in fetches:
        if name not in by_name:
            var = scope.find_var(name)
            held = None if var is None else var.value
            by_name[name] = (held.t, held.lod_value) if isinstance(held, LoDTensor) else (held, None)
    return tuple(by_name[name][0] for name in fetches), tuple(by_name[name][1] for name in fetches)


def to_source(program: Program, feed: Iterable[str] = (), fetch_list: Sequence[Any] = (), optimize: bool = True) -> str:
    """The Python function that a program runs as, for these feeds (names) and fetches."""
    feeds = tuple(feed) or tuple(v.name for v in program.global_block().vars.values() if v.is_data)
    lod = frozenset(n for n in feeds if (v := program.global_block().find_var(n)) is not None and v.lod_level)
    plan = Plan(program, feeds, lod, _fetches(list(fetch_list))[0], device_of(CPUPlace()), optimize)
    return plan.text
