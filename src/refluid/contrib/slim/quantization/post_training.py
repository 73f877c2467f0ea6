"""PostTrainingQuantization: a saved model as one of integers, with scales found on a few batches."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from refluid.contrib.quantize.weights import set_value, value
from refluid.contrib.slim.log import logger_of
from refluid.contrib.slim.quantization.freeze import QuantizationFreezePass
from refluid.contrib.slim.quantization.kl import kl_threshold
from refluid.contrib.slim.quantization.operators import OUT_SCALE, input_names, output_names
from refluid.contrib.slim.quantization.quant_dequant import AddQuantDequantPass
from refluid.contrib.slim.quantization.samples import Samples
from refluid.contrib.slim.quantization.transform import QuantizationTransformPass
from refluid.core.errors import ArgumentError
from refluid.data.loading.data_loader import DataLoader
from refluid.ir.graph import Graph
from refluid.ir.graph_view import IrGraph
from refluid.ir.program import Program
from refluid.saving.inference import load_inference_model, save_inference_model
from refluid.tensor.scope import Scope, global_scope, scope_guard

_logger = logger_of(__name__)


class PostTrainingQuantization:
    """Runs a saved model on sample data, calibrates the scales of its variables, and quantizes it.

    Args:
        executor: runs the model.
        scope: where its parameters go; the global one by default.
        model_dir, model_filename, params_filename: the model, as `save_inference_model` wrote it.
        batch_generator, sample_generator: the data: functions that give an iterator over batches, or over samples, of
            which batch_size make a batch; batch_nums batches are read, all by default.
        algo: "KL" finds the threshold that loses least, "abs_max" takes the largest number; "min_max" only notes the
            smallest and largest numbers on the operators.
        quantizable_op_type: which operators; is_full_quantize takes all that can be.
        activation_bits, weight_bits, activation_quantize_type, weight_quantize_type: as of the passes.
        is_use_cache_file, cache_dir: keep the samples of variables in files, where memory is short.
    """

    def __init__(
        self,
        executor: Any = None,
        scope: Scope | None = None,
        model_dir: str | None = None,
        model_filename: str | None = None,
        params_filename: str | None = None,
        batch_generator: Callable | None = None,
        sample_generator: Callable | None = None,
        batch_size: int = 10,
        batch_nums: int | None = None,
        algo: str = "KL",
        quantizable_op_type: list[str] = ["conv2d", "depthwise_conv2d", "mul"],
        is_full_quantize: bool = False,
        activation_bits: int = 8,
        weight_bits: int = 8,
        activation_quantize_type: str = "range_abs_max",
        weight_quantize_type: str = "channel_wise_abs_max",
        is_use_cache_file: bool = False,
        cache_dir: str = "./temp_post_training",
    ):
        majors, minors = (p._supported_quantizable_op_type for p in (QuantizationTransformPass, AddQuantDequantPass))
        known = sorted({*majors, *minors})
        for name, argument in (("executor", executor), ("model_dir", model_dir)):
            if argument is None:
                raise ArgumentError(f"PostTrainingQuantization: {name} must be given")
        if batch_generator is None and sample_generator is None:
            raise ArgumentError("PostTrainingQuantization: batch_generator or sample_generator must be given")
        if batch_size <= 0:
            raise ArgumentError(f"PostTrainingQuantization: batch_size must be positive, got {batch_size}")
        _check("algo", algo, ("KL", "abs_max", "min_max"))
        kinds = ("range_abs_max", "moving_average_abs_max", "abs_max")
        _check("activation_quantize_type", activation_quantize_type, kinds)
        _check("weight_quantize_type", weight_quantize_type, ("abs_max", "channel_wise_abs_max"))
        for type in quantizable_op_type:
            _check("quantizable_op_type", type, known)
        self._executor, self._scope = executor, scope or global_scope()
        self._files = {"model_filename": model_filename, "params_filename": params_filename}
        self._model_dir, self._batch_size, self._batch_nums = model_dir, batch_size, batch_nums
        self._batches, self._samples = batch_generator, sample_generator
        self._algo = algo
        self._types = known if is_full_quantize else quantizable_op_type
        self._majors = [type for type in majors if type in self._types]
        self._minors = [type for type in minors if type in self._types]
        self._bits: dict[str, Any] = {"weight_bits": weight_bits, "activation_bits": activation_bits}
        self._activation_kind, self._weight_kind = activation_quantize_type, weight_quantize_type
        self._cache = cache_dir if is_use_cache_file else None

    def quantize(self) -> Program:
        """The program for testing that computes with integers; its weights in the scope are integers now."""
        with scope_guard(self._scope):
            loaded = load_inference_model(self._model_dir, self._executor, **self._files)
            self._program, self._feed_names, self._fetch_vars = loaded
            weights, activations = self._variables()
            samples = Samples(self._algo, activations, self._cache)
            for count, batch in enumerate(self._data_loader()(), 1):
                fetched = self._executor.run(
                    self._program, feed=batch, fetch_list=activations, return_numpy=False
                )  # fmt: skip
                samples.add([np.array(tensor) for tensor in fetched])
                if count % 5 == 1:
                    _logger.info("ran batch %d", count)
                if self._batch_nums and count >= self._batch_nums:
                    break
            self._note_thresholds(weights, samples)
        return self._program

    def save_quantized_model(
        self, save_model_path: str, model_filename: str | None = None, params_filename: str | None = None
    ) -> None:
        with scope_guard(self._scope):
            save_inference_model(
                save_model_path, self._feed_names, self._fetch_vars, self._executor, self._program,
                model_filename=model_filename, params_filename=params_filename,
            )  # fmt: skip

    def _data_loader(self) -> Any:
        feeds = [self._program.global_block().var(name) for name in self._feed_names]
        loader = DataLoader.from_generator(feeds, capacity=3 * self._batch_size, iterable=True)
        place = self._executor.place
        if self._samples is not None:
            loader.set_sample_generator(self._samples, self._batch_size, drop_last=True, places=place)
        elif self._batches is not None:
            loader.set_batch_generator(self._batches, places=place)
        return loader

    def _variables(self) -> tuple[list[str], list[str]]:
        """(weights, activations) that operators to be quantized read and write, or whose scale others note."""
        persistable = {var.name for var in self._program.list_vars() if var.persistable}
        names: dict[str, None] = {}
        for op in self._program.global_block().ops:
            if op.type in self._types:
                names.update(dict.fromkeys([*input_names(op), *output_names(op)]))
            elif op.type in OUT_SCALE:
                names.update(dict.fromkeys(output_names(op)))
        return [name for name in names if name in persistable], [name for name in names if name not in persistable]

    def _note_thresholds(self, weights: list[str], samples: Samples) -> None:
        if self._algo == "min_max":
            smallest, largest = samples.least(), samples.most()
            for name in weights:
                rows = value(self._scope, name)
                rows = rows.reshape(len(rows), -1)
                smallest[name], largest[name] = rows.min(1).tolist(), rows.max(1).tolist()
            self._note_inputs(smallest, largest)
            self._note_outputs("out_min", smallest)
            self._note_outputs("out_max", largest)
            return
        thresholds = samples.reduced(kl_threshold) if self._algo == "KL" else samples.most()
        self._update_program(thresholds)
        self._note_outputs("out_threshold", thresholds)

    def _update_program(self, thresholds: dict[str, Any]) -> None:
        """Let the passes of quantization rewrite the program, with these scales."""
        place = self._executor.place
        graph = IrGraph(Graph(self._program.desc), for_test=True)
        QuantizationTransformPass(
            self._scope, place, **self._bits, activation_quantize_type=self._activation_kind,
            weight_quantize_type=self._weight_kind, quantizable_op_type=self._majors,
        ).apply(graph)  # fmt: skip
        AddQuantDequantPass(self._scope, place, quantizable_op_type=self._minors).apply(graph)
        for name, threshold in thresholds.items():
            for scale in (f"{name}.scale", f"{name}.quant_dequant.scale"):
                if self._scope.find_var(scale) is not None:
                    set_value(self._scope, scale, np.array([threshold], np.float32), place)
        freeze = QuantizationFreezePass(self._scope, place, **self._bits, weight_quantize_type=self._weight_kind)
        self._program = freeze.apply(graph).to_program()

    def _note_inputs(self, smallest: dict[str, Any], largest: dict[str, Any]) -> None:
        for op in self._program.global_block().ops:
            if op.type in self._types:
                for name in input_names(op):
                    op._set_attr(f"{name}.min", smallest[name])
                    op._set_attr(f"{name}.max", largest[name])

    def _note_outputs(self, attribute: str, values: dict[str, Any]) -> None:
        for op in self._program.global_block().ops:
            if op.type not in (*self._types, *OUT_SCALE):
                continue
            names = output_names(op)
            if len(names) != 1:
                raise ArgumentError(f"PostTrainingQuantization: {op.type} must have one result, got {names}")
            op._set_attr(attribute, values[names[0]])
            if op.type in self._types:
                op._set_attr("quantization_type", f"post_{self._algo.lower()}")


def _check(argument: str, given: str, known: Collection[str]) -> None:
    if given not in known:
        raise ArgumentError(f"PostTrainingQuantization: {argument} must be of {', '.join(known)}, got {given!r}")
