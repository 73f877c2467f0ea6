"""Descriptions of how train_from_dataset trains: trainers and device workers, as Fluid calls them.

Executor.train_from_dataset runs batches in order (refluid/data/ctr/train.py); these hold settings that programs make.
"""

from __future__ import annotations

import os
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.data.ctr.train import FetchHandler

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.ir.program import Program
    from refluid.tensor.scope import Scope

# Settings of TrainerDesc: `_set_<name>(value)` sets `proto_desc.<name>`.
_SETTINGS = (
    "debug", "use_cvm", "no_cvm", "scale_datanorm", "dump_slot", "mpi_rank", "mpi_size", "dump_fields",
    "dump_fields_path", "dump_file_num", "dump_converter", "dump_param", "thread_barrier", "check_nan_var_names",
    "loss_names", "adjust_ins_weight", "copy_table_config",
)  # fmt: skip


class DeviceWorker:
    """Base of what runs batches on one thread."""

    name = ""

    def __init__(self) -> None:
        self._program: Any = None
        self._infer: bool | None = None
        self._fleet_desc: Any = None

    def _set_infer(self, infer: bool = False) -> None:
        self._infer = infer

    def _set_fleet_desc(self, fleet_desc: object) -> None:
        self._fleet_desc = fleet_desc

    def _set_program(self, program: Program) -> None:
        self._program = program

    def _gen_worker_desc(self, trainer_desc: Any) -> None:
        """Write this worker into the description of a trainer."""
        if not self.name:
            raise NotImplementedError("DeviceWorker is a base: use Hogwild")
        trainer_desc.device_worker_name = self.name


class Hogwild(DeviceWorker):
    """Batches are trained on one after the other."""

    name = "HogwildWorker"


class Section(DeviceWorker):
    """A part of a program in a pipeline."""

    name = "SectionWorker"


class DownpourSGD(DeviceWorker):
    """Trains with the tables of pslib."""

    def _gen_worker_desc(self, trainer_desc: object) -> None:
        raise EnforceNotMet(f"{type(self).__name__}: pslib needs a server that no public release of Fluid has")


class DownpourSGDOPT(DownpourSGD):
    """The same for optimizers of pslib."""


class DeviceWorkerFactory:
    """Makes device workers by name."""

    def _create_device_worker(self, worker_type: str) -> DeviceWorker:
        return _made(_WORKERS, worker_type[:1].upper() + worker_type[1:], "device worker")


class TrainerDesc:
    """Settings of a training from a data set; `proto_desc` has them by name."""

    name = ""

    def __init__(self) -> None:
        self.proto_desc = SimpleNamespace(
            class_name=self.name, thread_num=os.cpu_count() or 1,
            fetch_config=SimpleNamespace(fetch_var_names=[], fetch_var_str_format=[], print_period=100),
        )  # fmt: skip
        self._device_worker: DeviceWorker | None = None
        self._fleet_desc: Any = None
        self._program: Any = None
        self._infer = False

    def _set_fetch_var_and_info(self, fetch_vars: Any, fetch_info: Any, print_period: int) -> None:
        config = self.proto_desc.fetch_config
        config.fetch_var_names = [var.name for var in fetch_vars]
        config.fetch_var_str_format = list(fetch_info)
        config.print_period = print_period

    def _set_thread(self, thread_num: int) -> None:
        self.proto_desc.thread_num = thread_num

    def _set_device_worker(self, device_worker: DeviceWorker) -> None:
        self._device_worker = device_worker

    def _set_infer(self, infer: bool) -> None:
        self._infer = infer

    def _set_fleet_desc(self, fleet_desc: object) -> None:
        self._fleet_desc = fleet_desc

    def _set_program(self, program: Program) -> None:
        self._program = program

    def _gen_trainer_desc(self) -> None:
        """Complete the description by that of the device worker."""
        if self._device_worker is None:
            return
        self._device_worker._set_infer(self._infer)
        self._device_worker._set_program(self._program)
        self._device_worker._gen_worker_desc(self.proto_desc)

    def __getattr__(self, name: str) -> Any:
        setting = name.removeprefix("_set_")
        if setting == name or setting not in _SETTINGS:
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        return lambda value: setattr(self.proto_desc, setting, value)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {value}" for name, value in vars(self.proto_desc).items())


class MultiTrainer(TrainerDesc):
    """Trains on one machine."""

    name = "MultiTrainer"


class DistMultiTrainer(TrainerDesc):
    """Trains with the servers of pslib."""

    name = "DistMultiTrainer"


class PipelineTrainer(TrainerDesc):
    """Trains the sections of a program in a pipeline."""

    name = "PipelineTrainer"


class TrainerFactory:
    """Makes a trainer and its device worker: MultiTrainer and Hogwild, or what `opt_info` names and sets."""

    def _create_trainer(self, opt_info: dict[str, Any] | None = None) -> TrainerDesc:
        settings = opt_info or {}
        trainer = _made(_TRAINERS, settings.get("trainer", "MultiTrainer"), "trainer")
        worker = _made(_WORKERS, settings.get("device_worker", "Hogwild"), "device worker")
        for name in _SETTINGS:
            if settings.get(name) is not None:
                getattr(trainer, f"_set_{name}")(settings[name])
        if "fleet_desc" in settings:
            trainer._set_fleet_desc(settings["fleet_desc"])
            worker._set_fleet_desc(settings["fleet_desc"])
        trainer._set_device_worker(worker)
        return trainer


class FetchHandlerMonitor:
    """Calls a FetchHandler with values of a scope every few seconds, in a thread of its own."""

    def __init__(self, scope: Scope, handler: FetchHandler):
        self._scope = scope
        self._handler = handler
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._stopped.clear()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(self._handler.period_secs):
            self._handler.handler({key: self._value(var) for key, var in self._handler.var_dict.items()})

    def _value(self, var: BaseVariable) -> np.ndarray | None:
        found = self._scope.find_var(var.name)
        return None if found is None else np.array(found.get_tensor())


_WORKERS: dict[str, Any] = {kind.__name__: kind for kind in (Hogwild, Section, DownpourSGD, DownpourSGDOPT)}
_TRAINERS: dict[str, Any] = {kind.__name__: kind for kind in (MultiTrainer, DistMultiTrainer, PipelineTrainer)}


def _made(kinds: dict[str, Any], name: str, what: str) -> Any:
    if name not in kinds:
        raise ArgumentError(f"there is no {what} {name!r}; there is {', '.join(kinds)}")
    return kinds[name]()
