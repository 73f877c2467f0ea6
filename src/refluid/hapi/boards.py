"""Callbacks that write the curves of a training for VisualDL and TensorBoard."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np

from refluid.core.errors import NotFoundError
from refluid.hapi.callbacks import Callback, Logs
from refluid.hapi.processes import is_first_process


class _Board(Callback):
    """Writes loss and metrics: of training after every batch, of evaluations once each, at the batch they came after.

    Where several processes train one model, the first writes.
    """

    _module, _package = "", ""

    def __init__(self, log_dir: str = "./log"):
        super().__init__()
        self.log_dir = log_dir
        self._writer: Any = None
        self._steps = 0  # batches of training, over all epochs
        self._training = False
        self._make = self._find_writer()

    def _find_writer(self) -> ModuleType:
        """The class of writers; refused here, before the training, where it is not installed."""
        try:
            return importlib.import_module(self._module)
        except ImportError as error:
            name = type(self).__name__
            raise NotFoundError(
                f"{name}: the package {self._package!r} is not installed ({error}); pip install 'refluid[viz]'"
            ) from None

    def _open(self) -> None:
        if self._writer is None and is_first_process():
            self._writer = self._new_writer()

    def _new_writer(self) -> Any:
        raise NotImplementedError

    def _add(self, tag: str, value: float) -> None:
        raise NotImplementedError

    def on_train_begin(self, logs: Logs = None) -> None:
        self._training = True
        self._open()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        self._write("train", logs)
        self._steps += 1

    def on_eval_begin(self, logs: Logs = None) -> None:
        self._open()

    def on_eval_end(self, logs: Logs = None) -> None:
        self._write("eval", logs)
        if not self._training:
            self._close()

    def on_train_end(self, logs: Logs = None) -> None:
        self._training = False
        self._close()

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _write(self, kind: str, logs: Logs) -> None:
        if self._writer is None:
            return
        for name, value in (logs or {}).items():
            if name in ("step", "batch_size", "steps", "metrics"):
                continue
            values = np.ravel(np.asarray(value, dtype="float64"))
            for index, number in enumerate(values):
                self._add(f"{kind}/{name}" + (f"_{index}" if len(values) > 1 else ""), float(number))


class VisualDL(_Board):
    """Writes the curves of loss and metrics for VisualDL: `visualdl --logdir ./log` shows them in a browser.

    Given to a run as `model.fit(..., callbacks=[VisualDL("./log")])`.

    Args:
        log_dir: the folder to write to.
    """

    _module, _package = "visualdl", "visualdl"

    def _new_writer(self) -> Any:
        return self._make.LogWriter(self.log_dir)

    def _add(self, tag: str, value: float) -> None:
        self._writer.add_scalar(tag=tag, step=self._steps, value=value)


class TensorBoard(_Board):
    """Writes the curves of loss and metrics for TensorBoard: `tensorboard --logdir ./log` shows them in a browser.

    Given to a run as `model.fit(..., callbacks=[TensorBoard("./log")])`.

    Args:
        log_dir: the folder to write to.
    """

    _module, _package = "torch.utils.tensorboard", "tensorboard"

    def _new_writer(self) -> Any:
        return self._make.SummaryWriter(self.log_dir)

    def _add(self, tag: str, value: float) -> None:
        self._writer.add_scalar(tag, value, self._steps)
