"""QuantizationStrategy: epochs of quantization-aware training, and the models that it saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.log import logger_of
from refluid.contrib.slim.quantization.freeze import QuantizationFreezePass
from refluid.contrib.slim.quantization.int8 import ConvertToInt8Pass, TransformForMobilePass
from refluid.contrib.slim.quantization.transform import QuantizationTransformPass
from refluid.executor.compiled import BuildStrategy, CompiledProgram
from refluid.executor.executor import Executor
from refluid.ir.graph import Graph
from refluid.ir.graph_view import IrGraph
from refluid.saving.inference import save_inference_model
from refluid.tensor.scope import scope_guard

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context

_logger = logger_of(__name__)
_BACKUP = "quantization_test_ir_graph_backup"


class QuantizationStrategy(Strategy):
    """Trains for integers from start_epoch, and saves models after end_epoch.

    Args:
        float_model_save_path: where the frozen model goes, whose integers are kept as floats; None for nowhere.
        int8_model_save_path: where that with weights of int8 goes.
        mobile_model_save_path: where that for Paddle's engine for phones goes.
        activation_bits, weight_bits, activation_quantize_type, weight_quantize_type: of QuantizationTransformPass.
        save_in_nodes, save_out_nodes: names of the inputs and outputs of the saved models; those of the network for
            testing by default.
    """

    def __init__(
        self,
        start_epoch: int = 0,
        end_epoch: int = 0,
        float_model_save_path: str | None = None,
        mobile_model_save_path: str | None = None,
        int8_model_save_path: str | None = None,
        activation_bits: int = 8,
        weight_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        save_in_nodes: list[str] | None = None,
        save_out_nodes: list[str] | None = None,
    ):
        super().__init__(start_epoch, end_epoch)
        self.float_model_save_path, self.int8_model_save_path = float_model_save_path, int8_model_save_path
        self.mobile_model_save_path = mobile_model_save_path
        self.activation_bits, self.weight_bits = activation_bits, weight_bits
        self.activation_quantize_type, self.weight_quantize_type = activation_quantize_type, weight_quantize_type
        self.save_in_nodes, self.save_out_nodes = save_in_nodes, save_out_nodes

    def restore_from_checkpoint(self, context: Any) -> None:
        if context.epoch_id > self.start_epoch:
            self._modify_graph_for_quantization(context)

    def on_epoch_begin(self, context: Context) -> None:
        if context.epoch_id == self.start_epoch:
            self._modify_graph_for_quantization(context)

    def _modify_graph_for_quantization(self, context: Context) -> None:
        training = IrGraph(Graph(context.optimize_graph.program.desc), for_test=False)
        testing = IrGraph(Graph(context.eval_graph.program.desc), for_test=True)
        transform = QuantizationTransformPass(
            context.scope, context.place, self.weight_bits, self.activation_bits, self.activation_quantize_type,
            self.weight_quantize_type,
        )  # fmt: skip
        transform.apply(training)
        transform.apply(testing)
        program = training.to_program()
        context.optimize_graph.persistables.update({var.name: var for var in program.list_vars() if var.persistable})
        context.optimize_graph.compiled_graph = CompiledProgram(program).with_data_parallel(
            loss_name=context.optimize_graph.out_nodes["loss"], build_strategy=BuildStrategy()
        )
        context.eval_graph.program = testing.to_program()
        context.put(_BACKUP, testing)
        _logger.info("training for integers begins")

    def on_epoch_end(self, context: Context) -> None:
        if context.epoch_id != self.end_epoch:
            return
        graph = context.get(_BACKUP)
        QuantizationFreezePass(
            context.scope, context.place, self.weight_bits, self.activation_bits, self.weight_quantize_type
        ).apply(graph)
        context.eval_graph.program = graph.to_program()
        if self.float_model_save_path:
            self._save(context, graph, self.float_model_save_path)
        if self.int8_model_save_path or self.mobile_model_save_path:
            ConvertToInt8Pass(context.scope, context.place).apply(graph)
        if self.int8_model_save_path:
            self._save(context, graph, self.int8_model_save_path)
        if self.mobile_model_save_path:
            TransformForMobilePass().apply(graph)
            self._save(context, graph, self.mobile_model_save_path)

    def _save(self, context: Context, graph: IrGraph, folder: str) -> None:
        program = graph.to_program()
        outs = self.save_out_nodes or list(context.eval_graph.out_nodes.values())
        ins = self.save_in_nodes or list(context.eval_graph.in_nodes.values())
        targets = [program.global_block().var(name) for name in outs]
        with scope_guard(context.scope):
            save_inference_model(folder, ins, targets, Executor(context.place), program, "model", "weights")
