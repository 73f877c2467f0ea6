"""Running layer functions in both modes from the same inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from refluid.core.places import CPUPlace
from refluid.eager import base as imperative
from refluid.executor.executor import Executor
from refluid.ir.program import Program, default_main_program, default_startup_program, program_guard
from refluid.layers.data import data
from refluid.params.initializer import Uniform
from refluid.tensor.create import create_lod_tensor
from refluid.tensor.lod_tensor import LoDTensor
from refluid.tensor.scope import Scope


def ragged(values: Any, lengths: list[int], dtype: str = "float32") -> LoDTensor:
    return create_lod_tensor(np.asarray(values, dtype), [lengths], CPUPlace())


def declare(**inputs: Any) -> list[Any]:
    """The inputs of a program, with the batch unknown."""
    declared = []
    for name, value in inputs.items():
        array = np.array(value)
        level = len(value.lod()) if isinstance(value, LoDTensor) else 0
        var = data(name, [-1, *array.shape[1:]], append_batch_size=False, dtype=str(array.dtype), lod_level=level)
        var.stop_gradient = array.dtype.kind != "f"
        declared.append(var)
    return declared


def run(fetches: list[Any], runs: int = 1, **inputs: Any) -> list[LoDTensor]:
    """Run the default programs from a fresh scope; the values of the last run."""
    executor, scope = Executor(CPUPlace()), Scope()
    executor.run(default_startup_program(), scope=scope)
    for _ in range(runs):
        fetched = executor.run(default_main_program(), inputs, fetches, scope=scope, return_numpy=False)
    return fetched


def both(build: Callable, runs: int = 1, **inputs: Any) -> list[np.ndarray]:
    """The results of `build(*variables)`, found equal (values, dtypes, LoDs) in both modes."""
    with program_guard(Program(), Program()):
        made = _flat(build(*declare(**inputs)))
        static = run(made, runs, **inputs)
    with imperative.guard():
        found = _flat(build(*(imperative.to_variable(value) for value in inputs.values())))
        for ours, theirs in zip(found, static, strict=True):
            expected = np.array(theirs)
            assert ours.numpy().dtype == expected.dtype
            np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-5, atol=1e-6)
            assert ([] if ours._lod is None else [list(level) for level in ours._lod.levels]) == theirs.lod()
    return [np.array(value) for value in static]


def _flat(value: Any) -> list[Any]:
    return [one for part in value for one in _flat(part)] if isinstance(value, list | tuple) else [value]


def weights(seed: int = 1) -> Uniform:
    """The same parameter in both modes."""
    return Uniform(-0.5, 0.5, seed=seed)


def operators() -> list[str]:
    """The default program, an operator a line: `relu: fc_0.tmp_1 -> fc_0.tmp_2`."""
    return [
        f"{op.type}: {' '.join(op.input_arg_names)} -> {' '.join(op.output_arg_names)}"
        for op in default_main_program().global_block().ops
    ]
