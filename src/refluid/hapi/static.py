"""The batches of a model in the static mode: one program each for training, evaluation and prediction."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.places import CPUPlace, Place
from refluid.distributed.several_trainers import begin
from refluid.executor.compiled import BuildStrategy, CompiledProgram
from refluid.executor.executor import Executor
from refluid.hapi.batches import rows
from refluid.hapi.inputs import Input, as_list, outputs_of
from refluid.hapi.processes import Processes
from refluid.hapi.state import value_of
from refluid.ir import program as programs
from refluid.ir.program import Program, program_guard
from refluid.layers.math import sum as sum_of
from refluid.saving.inference import save_inference_model
from refluid.saving.variables import is_persistable
from refluid.tensor.scope import global_scope

if TYPE_CHECKING:
    from refluid.hapi.model import Model
    from refluid.optim.optimizer import Optimizer

Result = tuple[list[np.ndarray], list[Any]]


class Built(NamedTuple):
    """A program of the model and what is fetched from it."""

    program: Program
    outputs: list[Any]
    losses: list[Any]
    metrics: list[list[Any]]  # what each metric is updated with
    total: Any = None  # the loss that is minimized

    @property
    def fetches(self) -> list[Any]:
        return [*self.losses, *(value for values in self.metrics for value in values)]


class StaticRunner:
    """Runs a model as programs, built by `prepare` beside the program that its layers were made in."""

    mode = "static"
    is_off = "the imperative mode is on"

    def __init__(self, model: Model):
        self.model = model
        self.place: Place = CPUPlace()
        self.origin = programs.default_main_program()
        self.startup = programs.default_startup_program()
        self._executor = Executor(self.place)
        self._built: dict[str, Built] = {}
        self._trained: Any = None  # what trains: the program, or that of several processes
        self.processes: Processes | None = None

    def __getstate__(self) -> dict[str, Any]:
        raise EnforceNotMet(
            f"{type(self.model).__name__}: a model of the static mode cannot be copied or pickled, for its parameters "
            "are variables of programs and scopes; save() it, and load() that into another"
        )

    @property
    def training_program(self) -> Program | None:
        """The program that holds the optimizer's variables."""
        return self._built["train"].program if "train" in self._built else None

    def check_inputs(self, declared: list[Input]) -> None:
        """Programs are built from them."""
        if not declared:
            raise ArgumentError("prepare: inputs must be given in the static mode, as a list of Input")

    def prepare(self, device: Place | None) -> None:
        model = self.model
        executor = self._executor if device is None else Executor(device)
        try:
            # Prediction first: a layer that makes its parameters when it is called makes them for all three.
            built = {"test": self._build(model.eval, with_loss=False)}
            if model._loss_function is not None or model._metrics:
                built["eval"] = self._build(model.eval, with_loss=True)
            if model._optimizer is not None:
                built["train"] = self._build(model.train, with_loss=True, optimizer=model._optimizer)
        finally:
            model.train()
        self._built, self._executor, self.place = built, executor, executor.place
        self.initialise()
        self._begin_together()

    def meet(self) -> Processes:
        """The other processes that train this model, if there are any."""
        if self.processes is None:
            self.processes = Processes()
        return self.processes

    def _begin_together(self) -> None:
        count = self.meet().count
        self._trained = self.training_program
        if count == 1:
            return
        for built in self._built.values():
            begin(built.program, global_scope(), count)
        if "train" in self._built:
            strategy = BuildStrategy()
            strategy.num_trainers, strategy.trainer_id = count, self.meet().strategy.local_rank
            train = self._built["train"]
            compiled = CompiledProgram(train.program)
            self._trained = compiled.with_data_parallel(train.total.name, strategy, places=[self.place])

    def initialise(self) -> None:
        """Give a first value to every variable that has none yet: what was loaded stays."""
        missing = self.startup.clone()
        block = missing.global_block()
        block.ops = [op for op in block.ops if not all(map(_has_value, op.output_arg_names))]
        if block.ops:
            missing.touch()
            self._executor.run(missing)

    def train_batch(self, inputs: list[Any], labels: list[Any]) -> Result:
        return self._run_with_loss("train", inputs, labels)

    def eval_batch(self, inputs: list[Any], labels: list[Any]) -> Result:
        return self._run_with_loss("eval", inputs, labels)

    def test_batch(self, inputs: list[Any]) -> list[np.ndarray]:
        built = self.built("test")
        return self._executor.run(built.program, self._feed(inputs, []), built.outputs)

    # -- the state of the optimizer -------------------------------------------------------------------------------

    def expect_state(self, optimizer: Optimizer, params: list[Any], values: dict[str, Any]) -> None:
        """Saved values are about to be fitted: `prepare` has made all variables."""

    def other_state(self, optimizer: Optimizer) -> list[Any]:
        """Persistable variables of the training program that are no parameters, accumulators or fixed rates."""
        program = self.training_program
        if program is None:
            return []
        known = {*optimizer._accumulators.state()}
        rate = optimizer._global_learning_rate(program)
        if rate is not None:
            known.add(rate.name)
        return [v for v in program.list_vars() if is_persistable(v) and not v.is_parameter and v.name not in known]

    def schedule_in(self, values: dict[str, Any]) -> dict[str, Any]:
        """A schedule is operators and variables of the program."""
        return {}

    def optimizer_state(self, optimizer: Optimizer) -> dict[str, Any]:
        """Accumulators by name, and what counts the steps of a schedule."""
        variables = [*optimizer._accumulators.state().values(), *self.other_state(optimizer)]
        return {var.name: value_of(var) for var in variables}

    @contextlib.contextmanager
    def evaluating(self) -> Iterator[None]:
        """Programs know by themselves what they are for."""
        yield

    def built(self, mode: str) -> Built:
        if mode not in self._built:
            raise EnforceNotMet(
                f"{mode}_batch: there is no program for this; call prepare(...) with what it needs first"
            )
        return self._built[mode]

    def save_inference_model(
        self, folder: str, model_filename: str | None, params_filename: str | None, model_only: bool
    ) -> None:
        built = self.built("test")
        names = [one.name for one in self.model._inputs]
        save_inference_model(
            folder, names, built.outputs, self._executor, built.program, model_filename, params_filename,
            program_only=model_only,
        )  # fmt: skip

    def _build(self, switch: Callable[[], None], with_loss: bool, optimizer: Optimizer | None = None) -> Built:
        model, program = self.model, self.origin.clone()
        switch()
        with program_guard(program, self.startup):
            inputs, labels = [one.forward() for one in model._inputs], []
            outputs = outputs_of(model, inputs)
            losses: list[Any] = []
            metrics: list[list[Any]] = []
            if with_loss:
                labels = [one.forward() for one in model._labels]
                losses = model._loss_function(outputs, labels) if model._loss_function else []
                metrics = [as_list(metric.add_metric_op(*outputs, *labels)) for metric in model._metrics]
            if optimizer is not None:
                total = losses[0] if len(losses) == 1 else sum_of(losses)
                optimizer.minimize(total)
                return Built(program, outputs, losses, metrics, total)
        self._adopt_parameters(program)
        built = Built(program, outputs, losses, metrics)
        test = program.clone(for_test=True)._prune([*built.fetches, *outputs], feeds=[*inputs, *labels])
        return built._replace(program=test)

    def _adopt_parameters(self, program: Program) -> None:
        """Declare in the program of the layers what a layer has made while it was called for the first time."""
        block = self.origin.global_block()
        for name, var in program.global_block().vars.items():
            if var.persistable and name not in block.vars:
                block.vars[name] = adopted = copy.copy(var)
                adopted.block, adopted.op = block, None
                self.origin.touch()

    def _run_with_loss(self, mode: str, inputs: list[Any], labels: list[Any]) -> Result:
        built, processes = self.built(mode), self.meet()
        size = rows(inputs[0])
        processes.begin_batch(size)
        program = self._trained if mode == "train" else built.program
        values = self._executor.run(program, self._feed(inputs, labels), built.fetches)
        losses, rest = processes.mean(values[: len(built.losses)], size), iter(values[len(built.losses) :])
        said = [
            metric.update(*[processes.gather(next(rest)) for _ in fetched])
            for metric, fetched in zip(self.model._metrics, built.metrics, strict=True)
        ]
        return losses, said

    def _feed(self, inputs: list[Any], labels: list[Any]) -> dict[str, Any]:
        declared = [*self.model._inputs, *(self.model._labels if labels else [])]
        return {one.name: value for one, value in zip(declared, [*inputs, *labels], strict=True)}


def _has_value(name: str) -> bool:
    found = global_scope().find_var(name)
    return found is not None and found.is_initialized()
