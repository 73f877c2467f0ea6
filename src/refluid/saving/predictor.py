"""The predictor: a saved model that runs in a scope of its own, for programs written on Fluid's inference API."""

from __future__ import annotations

import os

import torch

from refluid.core.errors import DtypeError, NotFoundError
from refluid.executor.executor import Executor
from refluid.ir.program import Program
from refluid.saving.inference import load_inference_model
from refluid.saving.predictor_config import AnalysisConfig, NativeConfig
from refluid.saving.predictor_tensor import PaddleTensor, ZeroCopyTensor, by_order
from refluid.saving.program_file import to_bytes
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope, scope_guard


class PaddlePredictor:
    """Runs one model. `clone` gives another that shares the parameters, for another thread."""

    def __init__(self, config: AnalysisConfig, model: tuple[Program, list[str], list[str], Scope] | None = None):
        self._config = config
        self._executor = Executor(config.place)
        self._executor.optimize = config.ir_optim()
        self._program, self._feeds, self._fetches, self._scope = model if model is not None else self._load()
        self._inputs = {name: ZeroCopyTensor(name) for name in self._feeds}
        self._outputs = {name: ZeroCopyTensor(name) for name in self._fetches}

    def _load(self) -> tuple[Program, list[str], list[str], Scope]:
        config, scope = self._config, Scope()
        with scope_guard(scope):
            if config.buffers is not None:
                model = load_inference_model(None, self._executor, *config.buffers)
            elif config.prog_file():
                folder, program = os.path.split(config.prog_file())
                params = os.path.relpath(config.params_file(), folder or ".")
                model = load_inference_model(folder or ".", self._executor, program, params)
            else:
                model = load_inference_model(config.model_dir(), self._executor)
            program, feeds, targets = model
        return program, feeds, [var.name for var in targets], scope

    def run(self, inputs: list[PaddleTensor]) -> list[PaddleTensor]:
        """The outputs for these inputs, in the order of the model."""
        feed = by_order(inputs, self._feeds, self._config.specify_input_name())
        outputs = []
        for name, value in zip(self._fetches, self._run(feed), strict=True):
            tensor = PaddleTensor(value.__array__(), name)
            tensor.lod = value.lod()
            outputs.append(tensor)
        return outputs

    def zero_copy_run(self) -> bool:
        """Run on the tensors of `get_input_tensor`; results are in those of `get_output_tensor`."""
        for name, value in zip(
            self._fetches, self._run({name: tensor.lod_tensor() for name, tensor in self._inputs.items()}), strict=True
        ):
            self._outputs[name].hold(value)
        return True

    def _run(self, feed: dict[str, LoDTensor]) -> list[LoDTensor]:
        before = torch.get_num_threads()
        threads = self._config.threads or before
        if threads != before:
            torch.set_num_threads(threads)
        try:
            return self._executor.run(
                self._program, feed=feed, fetch_list=self._fetches, scope=self._scope, return_numpy=False
            )
        finally:
            if threads != before:
                torch.set_num_threads(before)

    def get_input_names(self) -> list[str]:
        return list(self._feeds)

    def get_output_names(self) -> list[str]:
        return list(self._fetches)

    def get_input_tensor(self, name: str) -> ZeroCopyTensor:
        return _named(self._inputs, name, "input")

    def get_output_tensor(self, name: str) -> ZeroCopyTensor:
        return _named(self._outputs, name, "output")

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """The declared shapes; -1 is free."""
        return {name: list(self._program.global_block().var(name).shape) for name in self._feeds}

    def get_serialized_program(self) -> bytes:
        return to_bytes(self._program)

    def clone(self) -> PaddlePredictor:
        return PaddlePredictor(self._config, (self._program, self._feeds, self._fetches, self._scope))


def create_paddle_predictor(config: object) -> PaddlePredictor:
    """A predictor for an AnalysisConfig or a NativeConfig."""
    if not isinstance(config, AnalysisConfig | NativeConfig):
        raise DtypeError(f"create_paddle_predictor: expected an AnalysisConfig, got {type(config).__name__}")
    return config.predictor()


def _named(tensors: dict[str, ZeroCopyTensor], name: str, kind: str) -> ZeroCopyTensor:
    if name not in tensors:
        raise NotFoundError(f"predictor: there is no {kind} {name!r}; it has {', '.join(tensors)}")
    return tensors[name]
