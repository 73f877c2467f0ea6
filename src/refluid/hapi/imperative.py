"""The batches of a model in the imperative mode."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.dtypes import numpy_dtype
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.places import CPUPlace, CUDAPlace, Place, device_of
from refluid.distributed.data_parallel import DataParallel
from refluid.eager.base import no_grad, tape, to_variable
from refluid.hapi.batches import rows
from refluid.hapi.inputs import Input, as_list, outputs_of
from refluid.hapi.processes import Processes
from refluid.jit.capture import Capture
from refluid.jit.held import plain_scope
from refluid.layers.math import sum as sum_of
from refluid.saving.inference import save_inference_model
from refluid.saving.state_file import as_plain
from refluid.tensor.scope import scope_guard

if TYPE_CHECKING:
    from refluid.hapi.model import Model
    from refluid.optim.optimizer import Optimizer

Result = tuple[list[np.ndarray], list[Any]]  # losses, and what each metric says of the batch


class ImperativeRunner:
    """Runs a model at once, on the place of the imperative mode."""

    mode = "imperative"
    is_off = "the imperative mode is off"  # where another runner runs models

    def __init__(self, model: Model):
        self.model = model
        self.processes: Processes | None = None
        self._parallel: DataParallel | None = None  # of several processes

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "processes": None, "_parallel": None}

    @property
    def place(self) -> Place:
        device = tape().device
        return CPUPlace() if device.type == "cpu" else CUDAPlace(device.index or 0)

    def check_inputs(self, declared: list[Input]) -> None:
        """They need not be declared."""

    def prepare(self, device: Place | None) -> None:
        if device is not None and device_of(device) != tape().device:
            raise ArgumentError(
                f"prepare: device is {device}, but the imperative mode runs on {self.place}; "
                "give the place to fluid.enable_dygraph or fluid.dygraph.guard"
            )
        self.meet()

    def initialise(self) -> None:
        """Parameters have had their values since they were made."""

    def meet(self) -> Processes:
        """The other processes that train this model, if there are any."""
        if self.processes is None:
            self.processes = Processes()
            if self.processes.count > 1:
                self._parallel = DataParallel(self.model, self.processes.strategy)
        return self.processes

    def train_batch(self, inputs: list[Any], labels: list[Any]) -> Result:
        model = self.model
        model.train()
        processes, parallel = self.meet(), self._parallel
        size = rows(inputs[0])
        processes.begin_batch(size)
        labels = _variables(labels, model._labels)
        outputs = outputs_of(parallel or model, _variables(inputs, model._inputs))
        losses = model._loss_function(outputs, labels)
        total: Any = losses[0] if len(losses) == 1 else sum_of(losses)
        if parallel is not None:
            total = parallel.scale_loss(total)
        total.backward()
        if parallel is not None:
            parallel.apply_collective_grads()
        model._optimizer.minimize(total)
        model.clear_gradients()
        return processes.mean([loss.numpy() for loss in losses], size), self._metrics(outputs, labels)

    def eval_batch(self, inputs: list[Any], labels: list[Any]) -> Result:
        model = self.model
        processes = self.meet()
        size = rows(inputs[0])
        processes.begin_batch(size)
        with self.evaluating(), no_grad():
            labels = _variables(labels, model._labels)
            outputs = outputs_of(self._parallel or model, _variables(inputs, model._inputs))
            losses = model._loss_function(outputs, labels) if model._loss_function else []
            return processes.mean([loss.numpy() for loss in losses], size), self._metrics(outputs, labels)

    def test_batch(self, inputs: list[Any]) -> list[np.ndarray]:
        with self.evaluating(), no_grad():
            outputs = outputs_of(self._parallel or self.model, _variables(inputs, self.model._inputs))
            return [output.numpy() for output in outputs]

    def save_inference_model(
        self, folder: str, model_filename: str | None, params_filename: str | None, model_only: bool
    ) -> None:
        """Record forward into a program, by the declared inputs, and save that."""
        model = self.model
        if not model._inputs:
            raise ArgumentError(
                "save_inference_model: prepare() must be given inputs, which set the shapes to save for"
            )
        late = [layer.full_name() for layer in model.sublayers() if layer._awaits_inputs()]
        if late:
            raise EnforceNotMet(f"save_inference_model: {', '.join(late)} has no parameters yet; run a batch first")
        capture = Capture()
        with self.evaluating(), capture.building():
            outputs = outputs_of(model, [one.forward() for one in model._inputs])
        names = [one.name for one in model._inputs]
        with scope_guard(plain_scope(capture.bound)):
            save_inference_model(
                folder, names, outputs, None, capture.program, model_filename, params_filename, program_only=model_only
            )

    # -- the state of the optimizer -------------------------------------------------------------------------------

    def expect_state(self, optimizer: Optimizer, params: list[Any], values: dict[str, Any]) -> None:
        """Saved values are about to be fitted: accumulators come with the first step, and are needed before it."""
        optimizer._rate.check(values)
        self._make_accumulators(optimizer, params)

    def other_state(self, optimizer: Optimizer) -> list[Any]:
        """Variables of the state that are no accumulators: there are none, a schedule is an object."""
        return []

    def schedule_in(self, values: dict[str, Any]) -> dict[str, Any]:
        """What the schedule restores itself from."""
        return values

    def optimizer_state(self, optimizer: Optimizer) -> dict[str, Any]:
        """Accumulators by name, and what counts the steps of a schedule; those of before the first step too."""
        listed = optimizer._parameter_list
        names = None if listed is None else {param.name for param in listed}
        trained = {var.name: var for var in self.model.state_dict().values() if getattr(var, "trainable", False)}
        self._make_accumulators(optimizer, [v for name, v in trained.items() if names is None or name in names])
        return as_plain(optimizer.state_dict())

    def _make_accumulators(self, optimizer: Any, params: list[Any]) -> None:
        optimizer._create_accumulators(None, params)  # Fluid's first argument is the block of a program

    @contextlib.contextmanager
    def evaluating(self) -> Iterator[None]:
        """The model behaves as in evaluation inside, and afterwards as before."""
        if not self.model.training:
            yield
            return
        self.model.eval()
        try:
            yield
        finally:
            self.model.train()

    def _metrics(self, outputs: list[Any], labels: list[Any]) -> list[Any]:
        said = []
        with no_grad():
            for metric in self.model._metrics:
                values = as_list(metric.add_metric_op(*outputs, *labels))
                said.append(metric.update(*[self.meet().gather(value.numpy()) for value in values]))
        return said


def _variables(values: list[Any], declared: list[Input]) -> list[Any]:
    """Fields as variables; a list of numbers has the declared dtype, where there is one."""
    variables = []
    for i, value in enumerate(values):
        if isinstance(value, list | tuple) and i < len(declared):
            value = np.asarray(value, numpy_dtype(declared[i].dtype))
        variables.append(to_variable(value))
    return variables
