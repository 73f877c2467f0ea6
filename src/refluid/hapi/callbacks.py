"""Callbacks: what happens around the epochs and batches of a model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, DtypeError
from refluid.hapi.inputs import as_list
from refluid.hapi.processes import is_first_process
from refluid.hapi.progressbar import ProgressBar

if TYPE_CHECKING:
    from refluid.hapi.model import Model

_MODES = ("train", "eval", "test")
Logs = dict[str, Any] | None


class Callback:
    """Base of callbacks; every method does nothing.

    `self.model` is the model and `self.params` what the run was started with: batch_size, epochs, steps, verbose,
    metrics (the names of what logs hold). `logs` hold "loss" (a list), the metrics so far, "step" and "batch_size".
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params: dict[str, Any]) -> None:
        self.params = params

    def set_model(self, model: Model) -> None:
        self.model = model

    def on_train_begin(self, logs: Logs = None) -> None:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs = None) -> None:
        """After the last epoch."""

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Before the first batch of an evaluation; logs hold its "steps" and "metrics"."""

    def on_eval_end(self, logs: Logs = None) -> None:
        """After an evaluation."""

    def on_test_begin(self, logs: Logs = None) -> None:
        """Before the first batch of a prediction; logs hold its "steps"."""

    def on_test_end(self, logs: Logs = None) -> None:
        """After a prediction."""

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Before the first batch of an epoch of training."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """After an epoch of training, before its evaluation."""

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Before a batch of training."""

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """After a batch of training."""

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Before a batch of evaluation."""

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """After a batch of evaluation."""

    def on_test_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Before a batch of prediction."""

    def on_test_batch_end(self, step: int, logs: Logs = None) -> None:
        """After a batch of prediction."""


class CallbackList:
    """Several callbacks as one: each event goes to all, in their order."""

    def __init__(self, callbacks: Sequence[Callback] | Callback | None = None):
        self.callbacks: list[Callback] = []
        for callback in as_list(callbacks):
            self.append(callback)

    def append(self, callback: Callback) -> None:
        if not isinstance(callback, Callback):
            raise DtypeError(f"callbacks must be Callback objects, got {type(callback).__name__}")
        self.callbacks.append(callback)

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def set_params(self, params: dict[str, Any]) -> None:
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Model) -> None:
        for callback in self.callbacks:
            callback.set_model(model)

    def _call(self, event: str, *args: object) -> None:
        for callback in self.callbacks:
            getattr(callback, event)(*args)

    def on_begin(self, mode: str, logs: Logs = None) -> None:
        self._call(f"on_{_checked(mode)}_begin", logs)

    def on_end(self, mode: str, logs: Logs = None) -> None:
        self._call(f"on_{_checked(mode)}_end", logs)

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        self._call("on_epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        self._call("on_epoch_end", epoch, logs)

    def on_batch_begin(self, mode: str, step: int, logs: Logs = None) -> None:
        self._call(f"on_{_checked(mode)}_batch_begin", step, logs)

    def on_batch_end(self, mode: str, step: int, logs: Logs = None) -> None:
        self._call(f"on_{_checked(mode)}_batch_end", step, logs)


def _checked(mode: str) -> str:
    if mode not in _MODES:
        raise ArgumentError(f"callbacks: mode must be one of {_MODES}, got {mode!r}")
    return mode


class ProgBarLogger(Callback):
    """Shows progress, loss and metrics.

    Which numbers of the logs are shown, is in `train_metrics` and `eval_metrics`: a subclass may change them in its
    `on_train_begin` and `on_eval_begin`, and put numbers of its own into the logs.

    Args:
        log_freq: show every so many steps.
        verbose: 0 nothing, 1 a bar that changes, 2 a line each time.
    """

    def __init__(self, log_freq: int = 1, verbose: int = 2):
        super().__init__()
        if not isinstance(log_freq, int) or log_freq < 1:
            raise ArgumentError(f"log_freq must be a number of steps of at least 1, got {log_freq!r}")
        if verbose not in (0, 1, 2):
            raise ArgumentError(f"verbose must be 0 (silent), 1 (a bar) or 2 (lines), got {verbose!r}")
        self.log_freq, self.verbose = log_freq, verbose
        self._bar: ProgressBar | None = None
        self._steps: int | None = None
        self.train_metrics: list[str] = []
        self.eval_metrics: list[str] = []
        self._names: list[str] = []
        self._samples = 0
        self._pending: dict[str, Any] | None = None  # logs of the last step, while it is not shown

    def on_train_begin(self, logs: Logs = None) -> None:
        self.train_metrics = list(self.params.get("metrics", []))

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        self._say(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._begin(self.params.get("steps"))

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        self._step(step, logs, self.train_metrics)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        self._finish()

    def on_eval_begin(self, logs: Logs = None) -> None:
        self._say("Evaluation")
        self.eval_metrics = list((logs or {}).get("metrics", []))
        self._begin((logs or {}).get("steps"))

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        self._step(step, logs, self.eval_metrics)

    def on_eval_end(self, logs: Logs = None) -> None:
        self._finish()
        self._say(f"Evaluated samples: {self._samples}")

    def on_test_begin(self, logs: Logs = None) -> None:
        self._say("Prediction")
        self._begin((logs or {}).get("steps"))

    def on_test_batch_end(self, step: int, logs: Logs = None) -> None:
        self._step(step, logs, [])

    def on_test_end(self, logs: Logs = None) -> None:
        self._finish()
        self._say(f"Predicted samples: {self._samples}")

    def close(self) -> None:
        """End the line of the bar, where a run was interrupted."""
        if self._bar is not None:
            self._bar.close()

    def _say(self, line: str) -> None:
        if self.verbose:
            print(line, flush=True)

    def _begin(self, steps: int | None) -> None:
        self._steps, self._samples, self._pending = steps, 0, None
        self._bar = ProgressBar(num=steps, verbose=self.verbose)

    def _step(self, step: int, logs: Logs, names: list[str]) -> None:
        self._pending = logs = dict(logs or {})
        self._names = names
        self._samples += logs.get("batch_size", 1)
        if (step + 1) % self.log_freq == 0 or step + 1 == self._steps:
            self._show(step, logs)

    def _show(self, step: int, logs: dict[str, Any], last: bool = False) -> None:
        assert self._bar is not None
        self._bar.update(step + 1, [(name, logs[name]) for name in self._names if name in logs], last)
        if last or self.verbose == 2 or step + 1 == self._steps:
            self._pending = None

    def _finish(self) -> None:
        """Show the last step, unless it is shown: that it is the last was not known."""
        if self._pending is not None:
            self._show(self._pending.get("step", 0), self._pending, last=True)


class ModelCheckpoint(Callback):
    """Saves the model every so many epochs as `save_dir`/<epoch>, and at the end as `save_dir`/final."""

    def __init__(self, save_freq: int = 1, save_dir: str | None = None):
        super().__init__()
        if not isinstance(save_freq, int) or save_freq < 1:
            raise ArgumentError(f"save_freq must be a number of epochs of at least 1, got {save_freq!r}")
        self.save_freq, self.save_dir = save_freq, save_dir

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        if self.save_dir is not None and epoch % self.save_freq == 0:
            self.model.save(os.path.join(self.save_dir, str(epoch)))

    def on_train_end(self, logs: Logs = None) -> None:
        if self.save_dir is not None:
            self.model.save(os.path.join(self.save_dir, "final"))


def config_callbacks(
    callbacks: Sequence[Callback] | Callback | None = None,
    model: Any = None,
    batch_size: int | None = None,
    epochs: int | None = None,
    steps: int | None = None,
    log_freq: int = 2,
    verbose: int = 2,
    save_freq: int = 1,
    save_dir: str | None = None,
    metrics: list[str] | None = None,
    mode: str = "train",
) -> CallbackList:
    """The callbacks of a run: a logger first and a checkpoint last, unless the given ones have them."""
    chosen = as_list(callbacks)
    verbose = verbose if is_first_process() else 0
    if not any(isinstance(one, ProgBarLogger) for one in chosen):
        chosen.insert(0, ProgBarLogger(log_freq, verbose))
    if mode == "train" and not any(isinstance(one, ModelCheckpoint) for one in chosen):
        chosen.append(ModelCheckpoint(save_freq, save_dir))
    callback_list = CallbackList(chosen)
    callback_list.set_model(model)
    callback_list.set_params(
        {
            "batch_size": batch_size, "epochs": epochs, "steps": steps, "verbose": verbose,
            "metrics": [] if mode == "test" else metrics or ["loss"],
        }
    )  # fmt: skip
    return callback_list
