"""The loops of a model over epochs and batches, with callbacks around them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.hapi.batches import Batches, rows
from refluid.hapi.callbacks import CallbackList, ProgBarLogger
from refluid.hapi.inputs import as_list

if TYPE_CHECKING:
    from refluid.hapi.model import Model


def fit(
    model: Model, train: Batches, evaluation: Batches | None, epochs: int, eval_freq: int, callbacks: CallbackList
) -> None:
    logs: dict[str, Any] = {}
    with _leaving_the_bar(callbacks):
        callbacks.on_begin("train")
        for epoch in range(epochs):
            callbacks.on_epoch_begin(epoch)
            logs = _epoch(model, train, "train", callbacks)
            callbacks.on_epoch_end(epoch, logs)
            if evaluation is not None and epoch % eval_freq == 0:
                _evaluate(model, evaluation, callbacks)
        callbacks.on_end("train", logs)


def evaluate(model: Model, batches: Batches, callbacks: CallbackList) -> dict[str, Any]:
    with _leaving_the_bar(callbacks):
        return _evaluate(model, batches, callbacks)


def predict(model: Model, batches: Batches, callbacks: CallbackList) -> list[list[np.ndarray]]:
    outputs: list[list[np.ndarray]] = []
    together = model._runner.meet()
    dealt = together.epoch(batches.samples) if batches.samples is not None else contextlib.nullcontext()
    with _leaving_the_bar(callbacks), model._runner.evaluating(), batches.epoch() as epoch, dealt:
        callbacks.on_begin("test", {"steps": batches.steps})
        logs: dict[str, Any] = {}
        for step, batch in enumerate(epoch):
            inputs, _ = model._split(batches.what, batch, labels=False)
            logs = {"step": step, "batch_size": rows(inputs[0])}
            callbacks.on_batch_begin("test", step, logs)
            together.begin_batch(rows(inputs[0]))
            outputs.append([together.gather(output) for output in model.test_batch(inputs)])
            callbacks.on_batch_end("test", step, logs)
        callbacks.on_end("test", logs)
    return [list(arrays) for arrays in zip(*outputs, strict=True)]


def _evaluate(model: Model, batches: Batches, callbacks: CallbackList) -> dict[str, Any]:
    callbacks.on_begin("eval", {"steps": batches.steps, "metrics": model._metrics_name()})
    with model._runner.evaluating():
        logs = _epoch(model, batches, "eval", callbacks)
    callbacks.on_end("eval", logs)
    return logs


def _epoch(model: Model, batches: Batches, mode: str, callbacks: CallbackList) -> dict[str, Any]:
    """Run one epoch; returns the logs of its last batch."""
    for metric in model._metrics:
        metric.reset()
    run = model.train_batch if mode == "train" else model.eval_batch
    shown = _LossShown(mode == "train", getattr(model._loss_function, "average", True))
    logs: dict[str, Any] = {}
    samples = batches.samples if mode == "eval" else None
    with batches.epoch() as epoch, model._runner.meet().epoch(samples):
        for step, batch in enumerate(epoch):
            inputs, labels = model._split(batches.what, batch, labels=True)
            size = rows(inputs[0])
            logs = {"step": step, "batch_size": size}
            callbacks.on_batch_begin(mode, step, logs)
            result = run(inputs, labels)
            if model._loss_function is not None:
                losses = result[0] if model._metrics else result
                logs["loss"] = shown.next([float(loss[0]) for loss in losses], size)
            logs.update(_metrics_so_far(model))
            callbacks.on_batch_end(mode, step, logs)
    if not logs:
        raise ArgumentError(f"{batches.what}: there is no batch in it")
    return logs


class _LossShown:
    """The loss in the logs: of the batch while training, over all samples so far while evaluating."""

    def __init__(self, each: bool, average: bool):
        self._each, self._average = each, average
        self._sum: np.ndarray | float = 0.0
        self._samples = 0

    def next(self, losses: list[float], size: int) -> list[float]:
        if self._each:
            return losses
        self._sum = self._sum + np.array(losses) * (size if self._average else 1)
        self._samples += size
        return (self._sum / (self._samples if self._average else 1)).tolist()


def _metrics_so_far(model: Model) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for metric in model._metrics:
        names, values = as_list(metric.name()), as_list(metric.accumulate())
        if len(names) != len(values):
            raise ArgumentError(f"{type(metric).__name__}: has the names {names}, but accumulate() gave {values}")
        results.update(zip(names, values))
    return results


@contextlib.contextmanager
def _leaving_the_bar(callbacks: CallbackList) -> Iterator[None]:
    """Where a run is interrupted, the next output begins on a line of its own."""
    try:
        yield
    except BaseException:
        for callback in callbacks:
            if isinstance(callback, ProgBarLogger):
                callback.close()
        raise
