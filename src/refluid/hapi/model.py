"""Model: a network with its training, evaluation, prediction and files, in both modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, ModeError
from refluid.core.mode import per_mode
from refluid.hapi import loop, state
from refluid.hapi.batches import Batches
from refluid.hapi.callbacks import Callback, config_callbacks
from refluid.hapi.imperative import ImperativeRunner
from refluid.hapi.inputs import arguments_of, as_list, as_place, check_names, declared
from refluid.hapi.loss import Loss
from refluid.hapi.metrics import Metric
from refluid.hapi.processes import is_first_process
from refluid.hapi.static import StaticRunner
from refluid.nn.layer import Layer, check_layer
from refluid.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from refluid.core.places import Place
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure

# What `prepare` sets.
_SETTINGS = ("_optimizer", "_loss_function", "_metrics", "_inputs", "_labels", "_input_count")


class Model(Layer):
    """A network with its training: a subclass with layers and `forward` of its own, or any layer that is given.

    It lives in the mode in which it was made.

    Args:
        network: the layer to train, for a model that is no subclass.
        inputs, labels: what `prepare` takes where it is given none.

    Example:
        >>> class Line(Model):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.fc = Linear(13, 1)
        ...
        ...     def forward(self, x):
        ...         return self.fc(x)
    """

    def __init__(self, network: Layer | None = None, inputs: Structure = None, labels: Structure = None) -> None:
        super().__init__()
        self._wraps = network is not None
        if network is not None:
            check_layer("Model: network", network)
            self.network = network
        self._declared = inputs, labels
        self._optimizer: Any = None
        self._loss_function: Any = None
        self._metrics: list[Metric] = []
        self._inputs: list[Any] = []
        self._labels: list[Any] = []
        self._input_count: int | None = None
        self._restored: state.Restored | None = None  # the state of an optimizer that was loaded before there was one
        self._prepared = False
        self._runner: ImperativeRunner | StaticRunner = _runner_here()(self)

    def forward(self, *inputs: Structure, **kwargs: Any) -> Structure:
        return self.network(*inputs, **kwargs) if self._wraps else super().forward(*inputs, **kwargs)

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Parameters and buffers by name; a network that was given has the names that it has alone."""
        return self.network.state_dict(*args, **kwargs) if self._wraps else super().state_dict(*args, **kwargs)

    def set_dict(self, *args: Any, **kwargs: Any) -> None:
        return self.network.set_dict(*args, **kwargs) if self._wraps else super().set_dict(*args, **kwargs)

    load_dict = set_state_dict = set_dict

    # -- preparing ----------------------------------------------------------------------------------------------

    def prepare(
        self,
        optimizer: Optimizer | None = None,
        loss_function: BaseVariable | None = None,
        metrics: object = None,
        inputs: Structure = None,
        labels: Structure = None,
        device: str | Place | None = None,
    ) -> None:
        """Say how to train and evaluate.

        Args:
            optimizer: for training; needs loss_function.
            loss_function: a Loss, for training and evaluation.
            metrics: a Metric or a list of them.
            inputs: Inputs in the order of forward's arguments, or a dict by them; needed in the static mode.
            labels: Inputs for what the loss and the metrics compare with; the static mode knows of no others.
            device: "cpu", "gpu" or a place; the CPU by default. The imperative mode has its place already.
        """
        self._check_mode("prepare")
        if optimizer is not None and not isinstance(optimizer, Optimizer):
            raise DtypeError(f"prepare: optimizer must be an Optimizer, got {type(optimizer).__name__}")
        if loss_function is not None and not isinstance(loss_function, Loss):
            raise DtypeError(f"prepare: loss_function must be a Loss, got {type(loss_function).__name__}")
        if optimizer is not None and loss_function is None:
            raise ArgumentError("prepare: the optimizer needs a loss_function to make smaller")
        chosen = as_list(metrics)
        for metric in chosen:
            if not isinstance(metric, Metric):
                raise DtypeError(f"prepare: metrics must be Metric objects, got {type(metric).__name__}")
        arguments = arguments_of(self.network.forward if self._wraps else self.forward)
        inputs = self._declared[0] if inputs is None else inputs
        labels = self._declared[1] if labels is None else labels
        input_specs, label_specs = declared("inputs", inputs, arguments), declared("labels", labels)
        check_names([*input_specs, *label_specs])
        self._runner.check_inputs(input_specs)
        count = len(input_specs) or (None if arguments is None else len(arguments))
        before = [getattr(self, name) for name in _SETTINGS]
        self._set(optimizer, loss_function, chosen, input_specs, label_specs, count)
        try:
            self._runner.prepare(None if device is None else as_place(device))
            fitted = None if self._restored is None or optimizer is None else self._restored.fitted(self)
        except BaseException:
            self._set(*before)  # what was prepared before stays
            raise
        self._prepared = True
        if fitted is not None:
            self._restored = None
            fitted.set()

    def _set(self, *settings: object) -> None:
        for name, value in zip(_SETTINGS, settings, strict=True):
            setattr(self, name, value)

    # -- batches ------------------------------------------------------------------------------------------------

    def train_batch(self, inputs: Structure, labels: Structure = None) -> Any:
        """One step of training: the list of losses, or (losses, metrics of this batch) where there are metrics."""
        self._check_prepared("train_batch", optimizer=True)
        return self._with_metrics(self._runner.train_batch(*self._checked("train_batch", inputs, labels)))

    def eval_batch(self, inputs: Structure, labels: Structure = None) -> Any:
        """Losses and metrics of a batch without training, in the form of `train_batch`."""
        self._check_prepared("eval_batch")
        return self._with_metrics(self._runner.eval_batch(*self._checked("eval_batch", inputs, labels)))

    def test_batch(self, inputs: Structure) -> list[np.ndarray]:
        """The outputs for a batch."""
        self._check_prepared("test_batch")
        return self._runner.test_batch(self._checked("test_batch", inputs, None)[0])

    def _with_metrics(self, result: tuple[list[np.ndarray], list[Any]]) -> Any:
        losses, said = result
        if not self._metrics:
            return losses
        return (losses, said) if self._loss_function is not None else said

    # -- epochs -------------------------------------------------------------------------------------------------

    def fit(
        self,
        train_data: object = None,
        eval_data: object = None,
        batch_size: int = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Sequence[Callback] | Callback | None = None,
    ) -> None:
        """Train for some epochs.

        Args:
            train_data: a Dataset, a loader or list of batches, or a function that returns an iterator over batches.
            eval_data: what to evaluate on every `eval_freq` epochs.
            batch_size, drop_last, shuffle, num_workers: how a Dataset is read.
            log_freq: show progress every so many steps.
            save_dir: where to save the model every `save_freq` epochs, and at the end.
            verbose: 0 shows nothing, 1 a bar, 2 lines.
            callbacks: a Callback or a list of them.
        """
        self._check_prepared("fit", optimizer=True)
        for name, value in (("epochs", epochs), ("eval_freq", eval_freq)):
            if not isinstance(value, int) or value < 1:
                raise ArgumentError(f"fit: {name} must be an int of at least 1, got {value!r}")
        if train_data is None:
            raise ArgumentError("fit: train_data must be given")
        place = self._runner.place
        train = Batches("fit: train_data", train_data, place, batch_size, shuffle, drop_last, num_workers)
        evaluation = None
        if eval_data is not None:
            evaluation = Batches("fit: eval_data", eval_data, place, batch_size, False, False, num_workers)
        chosen = config_callbacks(
            callbacks, self, batch_size, epochs, train.steps, log_freq, verbose, save_freq, save_dir,
            self._metrics_name(),
        )  # fmt: skip
        loop.fit(self, train, evaluation, epochs, eval_freq, chosen)

    def evaluate(
        self,
        eval_data: object,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Sequence[Callback] | Callback | None = None,
    ) -> dict[str, Any]:
        """{"loss": [mean over all samples], metric name: value}; see `fit` for the arguments."""
        self._check_prepared("evaluate")
        if self._loss_function is None and not self._metrics:
            raise EnforceNotMet("evaluate: there is nothing to evaluate; give prepare() a loss_function or metrics")
        batches = Batches("evaluate: eval_data", eval_data, self._runner.place, batch_size, False, False, num_workers)
        names = self._metrics_name()
        chosen = config_callbacks(
            callbacks, self, batch_size, 1, batches.steps, log_freq, verbose, metrics=names, mode="eval"
        )
        logs = loop.evaluate(self, batches, chosen)
        return {name: logs[name] for name in names if name in logs}

    def predict(
        self,
        test_data: object,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        callbacks: Sequence[Callback] | Callback | None = None,
    ) -> list[Any]:
        """The outputs for all samples; fields after the inputs, such as labels, are ignored.

        Returns:
            For every output of forward, the arrays of all batches; one array if stack_outputs.
        """
        self._check_prepared("predict")
        batches = Batches("predict: test_data", test_data, self._runner.place, batch_size, False, False, num_workers)
        chosen = config_callbacks(callbacks, self, batch_size, 1, batches.steps, 1, verbose=1, mode="test")
        outputs = loop.predict(self, batches, chosen)
        return [np.concatenate(arrays) for arrays in outputs] if stack_outputs else outputs

    # -- files --------------------------------------------------------------------------------------------------

    def save(self, path: str) -> None:
        """Write `path`.pdparams and, where there is an optimizer, `path`.pdopt; of several processes the first does."""
        self._check_mode("save")
        self._runner.initialise()
        if is_first_process():
            state.save(self, path)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Read what `save` wrote, before or after `prepare`.

        Args:
            skip_mismatch: parameters that are missing in the file or have another shape there keep their values, with a
                warning; else that is an error, and nothing is loaded.
            reset_optimizer: ignore the saved state of the optimizer and reset it; a file without one does so too.
        """
        self._check_mode("load")
        self._runner.initialise()
        state.load(self, path, skip_mismatch, reset_optimizer)

    def save_inference_model(
        self,
        save_dir: str,
        model_filename: str | None = None,
        params_filename: str | None = None,
        model_only: bool = False,
    ) -> None:
        """Write what computes the outputs from the inputs, for `fluid.io.load_inference_model`.

        Args:
            model_filename, params_filename: names of the program's file and of one file for all parameters.
            model_only: leave the parameters out.
        """
        self._check_prepared("save_inference_model")
        if is_first_process():
            self._runner.save_inference_model(save_dir, model_filename, params_filename, model_only)

    # -- checks -------------------------------------------------------------------------------------------------

    def _metrics_name(self) -> list[str]:
        """What logs hold: the loss, if there is one, and the names of all metrics."""
        names = ["loss"] if self._loss_function is not None else []
        return [*names, *(name for metric in self._metrics for name in as_list(metric.name()))]

    def _check_mode(self, what: str) -> None:
        if "_runner" not in self.__dict__:
            name = type(self).__name__
            raise EnforceNotMet(f"{what}: {name} was not initialised; its __init__ must call super().__init__() first")
        if _runner_here() is not type(self._runner):
            made_in, now = self._runner.mode, self._runner.is_off
            raise ModeError(f"{what}: the model was made in the {made_in} mode, but {now} now")

    def _check_prepared(self, what: str, optimizer: bool = False) -> None:
        self._check_mode(what)
        if not self._prepared:
            raise EnforceNotMet(f"{what}: call prepare(...) first")
        if optimizer and self._optimizer is None:
            raise EnforceNotMet(f"{what}: there is no optimizer; give one to prepare()")

    def _checked(self, what: str, inputs: Structure, labels: Structure) -> tuple[list[Any], list[Any]]:
        batch = [as_list(inputs), as_list(labels)]
        for name, values, count in (
            ("inputs", batch[0], self._input_count),
            ("labels", batch[1], len(self._labels) if self._labels and what != "test_batch" else None),
        ):
            if count is not None and len(values) != count:
                raise ArgumentError(f"{what}: {name} must be {count} arrays, got {len(values)}")
        return batch[0], batch[1]

    def _split(self, what: str, batch: list[Any], labels: bool) -> tuple[list[Any], list[Any]]:
        """Inputs of a batch and, if there must be labels, those."""
        count = self._input_count
        if count is None:
            if labels and not self._labels:
                raise ArgumentError(f"{what}: forward takes any number of inputs; give prepare() the inputs or labels")
            count = len(batch) - len(self._labels)
        if len(batch) < count:
            raise ArgumentError(f"{what}: forward takes {count} inputs, but a batch has {len(batch)} fields")
        if labels and self._labels and len(batch) != count + len(self._labels):
            raise ArgumentError(
                f"{what}: a batch must have {count} inputs and {len(self._labels)} labels, all as arrays whose first "
                f"axis is the samples, got {len(batch)} fields"
            )
        return batch[:count], batch[count:]


@per_mode
def _runner_here() -> type:
    """What runs the models of this mode."""
    return StaticRunner


@_runner_here.imperative
def _imperative_runner() -> type[ImperativeRunner | StaticRunner]:
    return ImperativeRunner
