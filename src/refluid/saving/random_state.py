"""The random state of a process: every generator that a training draws from, as plain values."""

from __future__ import annotations

import contextlib
import random as python_random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from refluid.core import random
from refluid.core.errors import EnforceNotMet
from refluid.ir import program as programs
from refluid.ir.program import Program


def capture(program: Program | None) -> dict[str, Any]:
    """The generators of the process, of `program` and of the default programs, of Python and of numpy."""
    return {
        "process": _of(random.process),
        "program": _of(program.random) if program is not None else None,
        "main": _of(programs.default_main_program().random),
        "startup": _of(programs.default_startup_program().random),
        **capture_readers(),
    }


def restore(state: dict[str, Any], program: Program | None) -> None:
    """Set all generators, or none if one of the states is not what `capture` gave."""
    before = capture(program)
    try:
        _restore(state, program)
    except BaseException:
        _restore(before, program)
        raise


def _restore(state: dict[str, Any], program: Program | None) -> None:
    with _telling():
        _set(random.process, state["process"])
        _set(programs.default_main_program().random, state["main"])
        _set(programs.default_startup_program().random, state["startup"])
        if program is not None and state["program"] is not None:
            _set(program.random, state["program"])
    restore_readers(state)


def capture_readers() -> dict[str, Any]:
    """What readers shuffle with: the generators of Python and of numpy."""
    return {"python": python_random.getstate(), "numpy": np.random.get_state()}


def restore_readers(state: dict[str, Any]) -> None:
    with _telling():
        python_random.setstate(_tuples(state["python"]))
        np.random.set_state(_tuples(state["numpy"]))


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """What Python, numpy and torch raise about a state of the wrong kind, in words of ours."""
    try:
        yield
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RuntimeError) as error:
        raise EnforceNotMet(f"the random state cannot be set ({error})") from None


def _of(state: random.RandomState) -> dict[str, Any]:
    return {"seed": state.seed, "stream": state.stream.get_state().numpy()}


def _set(state: random.RandomState, values: dict[str, Any]) -> None:
    state.seed = int(values["seed"])
    state.stream.set_state(torch.from_numpy(np.array(values["stream"], "uint8")))


def _tuples(value: object) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value
