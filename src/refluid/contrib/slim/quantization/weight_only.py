"""WeightQuantization: a saved model whose weights are integers in its files, and numbers when it runs."""

from __future__ import annotations

import os
from collections.abc import Collection

import numpy as np

from refluid.contrib.quantize.weights import set_value, value
from refluid.contrib.slim.quantization.operators import CONVOLUTIONS
from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace
from refluid.executor.executor import Executor
from refluid.ir.operator import Operator
from refluid.ops.quantize.levels import top
from refluid.saving.inference import load_inference_model, save_inference_model
from refluid.tensor.scope import global_scope

_HISTOGRAM_BINS = 5000


class WeightQuantization:
    """Makes files of a model smaller.

    Args:
        model_dir, model_filename, params_filename: the model, as `save_inference_model` wrote it.
    """

    _supported_quantizable_op_type = ["conv2d", "depthwise_conv2d", "mul"]
    _supported_weight_quantize_type = ["channel_wise_abs_max", "abs_max"]

    def __init__(self, model_dir: str, model_filename: str | None = None, params_filename: str | None = None):
        self._model_dir = model_dir
        self._files = {"model_filename": model_filename, "params_filename": params_filename}

    def quantize_weight_to_int(
        self,
        save_model_dir: str,
        save_model_filename: str | None = None,
        save_params_filename: str | None = None,
        quantizable_op_type: list[str] = ["conv2d", "mul"],
        weight_bits: int = 8,
        weight_quantize_type: str = "channel_wise_abs_max",
        generate_test_model: bool = False,
        threshold_rate: float = 0.0,
    ) -> None:
        """Save the model with weights of int8 or int16, and their scales on the operators.

        Args:
            save_model_dir: gets the folder "quantized_model"; with generate_test_model also "test_model", whose weights
                are the numbers that the integers stand for, so that every executor can measure what is lost.
            threshold_rate: of "abs_max": which fraction of the numbers, the largest, is clipped.
        """
        for type in quantizable_op_type:
            _check("quantizable_op_type", type, self._supported_quantizable_op_type)
        _check("weight_bits", weight_bits, (8, 16))
        _check("weight_quantize_type", weight_quantize_type, self._supported_weight_quantize_type)
        for folder, for_test in (("quantized_model", False), ("test_model", True))[: 1 + generate_test_model]:
            exe = Executor(CPUPlace())
            program, feeds, fetches = load_inference_model(self._model_dir, exe, **self._files)
            weights = {var.name for var in program.list_vars() if var.persistable}
            for op in program.operators():
                if op.type in quantizable_op_type:
                    for name in op.input_arg_names:
                        if name in weights:
                            _quantize(op, name, weight_bits, weight_quantize_type, threshold_rate, for_test)
            save_inference_model(
                os.path.join(save_model_dir, folder), feeds, fetches, exe, program,
                model_filename=save_model_filename, params_filename=save_params_filename,
            )  # fmt: skip


def _quantize(op: Operator, name: str, bits: int, kind: str, threshold_rate: float, for_test: bool) -> None:
    weight = value(global_scope(), name)
    if kind == "abs_max":
        limit = float(np.abs(weight).max()) if abs(threshold_rate) < 1e-10 else _threshold(weight, threshold_rate)
        weight = np.clip(weight, -limit, limit)
        scales = np.array(limit / top(bits))
    else:  # of each filter, or of each column of a product
        axis = 0 if op.type in CONVOLUTIONS else weight.ndim - 1
        others = tuple(i for i in range(weight.ndim) if i != axis)
        scales = np.abs(weight).max(axis=others, keepdims=True).astype(np.float64) / top(bits)
    integers = np.around(weight / scales.astype(weight.dtype)).astype(np.int8 if bits == 8 else np.int16)
    stored = (integers * scales).astype(np.float32) if for_test else integers
    set_value(global_scope(), name, stored)
    op._set_attr("quantization_type", f"post_weight_{kind}")
    op._set_attr("quantize_weight_bits", bits)
    op._set_attr(f"{name}_quant_scale", [float(scale) for scale in scales.ravel()])


def _threshold(weight: np.ndarray, rate: float) -> float:
    """The (1 - `rate`) quantile of the absolute values."""
    sizes = np.abs(weight)
    counts, edges = np.histogram(sizes, bins=_HISTOGRAM_BINS, range=(0, sizes.max()))
    reached = np.flatnonzero(np.cumsum(counts / counts.sum()) >= 1.0 - rate)
    return float((reached[0] + 1 if len(reached) else 0) * (edges[1] - edges[0]))


def _check(argument: str, given: object, known: Collection[object]) -> None:
    if given not in known:
        expected = ", ".join(str(one) for one in known)
        raise ArgumentError(f"quantize_weight_to_int: {argument} must be of {expected}, got {given!r}")
