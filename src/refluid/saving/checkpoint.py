"""Checkpoints: all that a training needs to go on as if it had never stopped, in one file and one call.

What Fluid's own calls restore: `save_persistables` and `fluid.save` the variables of a program, with the optimizer's
accumulators and the step counter of a learning-rate schedule; `save_dygraph` the parameters and statistics of a layer,
or the accumulators and the schedule of an optimizer. What they do not: random numbers (dropout, shuffling), the epoch,
and where a reader was in its data. A checkpoint holds these too, so that the losses that follow are equal bit by bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.ir.program import Program
from refluid.nn.layer import Layer
from refluid.optim.optimizer import Optimizer
from refluid.saving import random_state
from refluid.saving.program_state import arrays_of, set_program_state
from refluid.saving.state_file import as_plain, read_state, write_state

_FORMAT = "refluid checkpoint 1"
_KINDS: dict[str, Any] = {
    "program": dict | None, "model": dict | None, "optimizer": dict | None, "reader": dict | None, "random": dict,
    "epoch": int | np.integer, "extra": dict,
}  # fmt: skip


@dataclass
class Checkpoint:
    """What a training that goes on has to know."""

    epoch: int = 0
    extra: dict[str, Any] = field(default_factory=dict)


class ResumableReader:
    """A reader that knows where it is: wrap the outermost reader, that of batches.

    After `load` its first call goes on behind the last batch that was taken before `save`.
    """

    def __init__(self, reader: Callable[[], Any]):
        self._reader = reader
        self._start: dict[str, Any] | None = None  # random state at the beginning of the epoch; None between epochs
        self._position = 0
        self._resumes = False

    def __call__(self) -> Iterator[Any]:
        if self._resumes and self._start is not None:
            self._resumes = False
            now = random_state.capture_readers()
            random_state.restore_readers(self._start)
            iterator = iter(self._reader())
            for skipped in range(self._position):
                if next(iterator, self) is self:
                    raise EnforceNotMet(f"checkpoint: the reader ended after {skipped} of {self._position} batches")
            random_state.restore_readers(now)
        else:
            self._start, self._position = random_state.capture_readers(), 0
            iterator = iter(self._reader())
        for item in iterator:
            self._position += 1
            yield item
        self._start = None

    def state(self) -> dict[str, Any]:
        return {"start": self._start, "position": self._position}

    def resume(self, state: dict[str, Any]) -> None:
        start, position = state.get("start"), state.get("position")
        if not isinstance(start, dict | None) or not isinstance(position, int) or position < 0:
            raise EnforceNotMet("the position of the reader is damaged")
        self._start, self._position, self._resumes = start, position, True


def save(
    path: str,
    *,
    program: Program | None = None,
    model: Layer | None = None,
    optimizer: Optimizer | None = None,
    reader: ResumableReader | None = None,
    epoch: int = 0,
    extra: dict[str, Any] | None = None,
) -> None:
    """Write a checkpoint; it replaces an older one when it is whole.

    Args:
        path: the file.
        program: of the static mode: all its persistable variables in the global scope.
        model: of the imperative mode: a Layer.
        optimizer: of the imperative mode, its state with that of its learning-rate schedule.
        reader: a `ResumableReader`.
        epoch: the present epoch.
        extra: plain values and arrays of your own.
    """
    if program is None and model is None:
        raise ArgumentError("checkpoint.save: give a program (static mode) or a model (imperative mode)")
    write_state(
        path,
        {
            "format": _FORMAT,
            "program": arrays_of(program) if program is not None else None,
            "model": as_plain(model.state_dict()) if model is not None else None,
            "optimizer": as_plain(optimizer.state_dict()) if optimizer is not None else None,
            "random": random_state.capture(program),
            "reader": reader.state() if reader is not None else None,
            "epoch": epoch,
            "extra": as_plain(extra or {}),
        },
    )


def load(
    path: str,
    *,
    program: Program | None = None,
    model: Layer | None = None,
    optimizer: Optimizer | None = None,
    reader: ResumableReader | None = None,
) -> Checkpoint:
    """Take a training up where `save` left it; nothing changes unless all fits. Arguments as for `save`.

    In the static mode run the startup program before.
    Returns:
        The epoch and what was given as `extra`; of epoch 0 if there is no file yet.
    """
    if not os.path.exists(path):
        return Checkpoint()
    state = read_state(path)
    if state.get("format") != _FORMAT:
        raise EnforceNotMet(f"{path}: this is not a checkpoint")
    for name, kind in _KINDS.items():
        if not isinstance(state.get(name), kind):
            raise EnforceNotMet(f"{path}: the checkpoint is damaged: {name} is a {type(state.get(name)).__name__}")
    parts = {"program": program, "model": model, "optimizer": optimizer, "reader": reader}
    for name, part in parts.items():
        if part is not None and state.get(name) is None:
            raise NotFoundError(f"{path}: the checkpoint has no {name}")
    undo: list[Callable[[], None]] = []
    try:
        if program is not None:
            _set_program(program, state["program"], path, undo)
        if model is not None:
            before = {name: np.array(value.numpy()) for name, value in model.state_dict().items()}
            undo.append(lambda: model.set_dict(before))
            model.set_dict(state["model"])
        if optimizer is not None:
            held = as_plain(optimizer.state_dict())
            undo.append(lambda: optimizer.set_dict(held))
            optimizer.set_dict(state["optimizer"])
        if reader is not None:
            reader.resume(state["reader"])
        random_state.restore(state["random"], program)
    except BaseException as error:
        for step in undo:
            step()
        if isinstance(error, EnforceNotMet) and path not in error.summary:
            error.summary = f"{path}: {error.summary}"
        raise
    return Checkpoint(int(state["epoch"]), state["extra"])


def _set_program(program: Program, values: dict[str, Any], path: str, undo: list[Callable[[], None]]) -> None:
    before = arrays_of(program)
    missing = sorted(before.keys() - values.keys())
    if missing:
        raise NotFoundError(f"{path}: the checkpoint has no {', '.join(missing)}")
    undo.append(lambda: set_program_state(program, before))
    set_program_state(program, values)
