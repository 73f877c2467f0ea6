"""What the passes of quantization know of operators: the slots that hold their values, and which are told a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refluid.ir.desc import OpDesc
    from refluid.ir.graph_view import IrOpNode
    from refluid.ir.operator import Operator

# Slots of values: an operator may have others, of sizes, axes and the like, which are never quantized.
_ONE = (("X",), ("Out",))
_TWO = (("X", "Y"), ("Out",))
_FILTERED = (("Input", "Filter"), ("Output",))
_UNARY = (
    "pool2d concat softmax argmax transpose gather mean reshape reshape2 transpose2 bilinear_interp nearest_interp "
    "trilinear_interp squeeze relu relu6 leaky_relu prelu tanh swish dropout sigmoid scale"
).split()
_BINARY = (
    "mul matmul elementwise_add elementwise_sub elementwise_mul equal not_equal greater_equal greater_than less_equal "
    "less_than"
).split()
SLOTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "conv2d": _FILTERED, "depthwise_conv2d": _FILTERED, "slice": (("Input",), ("Out",)),
    "batch_norm": (("X",), ("Y",)), **dict.fromkeys(_UNARY, _ONE), **dict.fromkeys(_BINARY, _TWO),
}  # fmt: skip

# Operators whose results get a scale for the engines that run a model.
OUT_SCALE = (
    "conv2d depthwise_conv2d mul matmul relu leaky_relu relu6 sigmoid tanh prelu swish softmax batch_norm "
    "elementwise_add pool2d reshape2 transpose2 concat elementwise_mul scale"
).split()

CONVOLUTIONS = ("conv2d", "depthwise_conv2d")
WITH_WEIGHT_TYPES = [*CONVOLUTIONS, "mul", "matmul"]
WITH_WEIGHTS = "quantization_type", "qat_with_weight"  # the attribute that the transforming pass leaves for the others
WITHOUT_WEIGHTS = "quantization_type", "qat_without_weight"
FAKE_QUANTIZE = (
    "fake_quantize_abs_max", "fake_quantize_range_abs_max", "fake_quantize_moving_average_abs_max",
    "fake_channel_wise_quantize_abs_max",
)  # fmt: skip
FAKE_DEQUANTIZE = ("fake_dequantize_max_abs", "fake_channel_wise_dequantize_max_abs")


def input_names(op: Operator | IrOpNode) -> list[str]:
    """The variables that an operator of a program, or the node of one, computes with."""
    return [name for slot in SLOTS[_type(op)][0] for name in op.input(slot)]


def output_names(op: Operator | IrOpNode) -> list[str]:
    """The variables that it gives."""
    return [name for slot in SLOTS[_type(op)][1] for name in op.output(slot)]


def _type(op: Any) -> str:
    return op.name() if callable(getattr(op, "name", None)) else op.type


def marked(op_desc: OpDesc, mark: tuple[str, Any]) -> bool:
    name, value = mark
    return op_desc.has_attr(name) and op_desc.attr(name) == value


def skipped(op_desc: OpDesc, patterns: object) -> bool:
    """Whether the operator was built in a name scope that contains one of the patterns (a text or a list of them)."""
    scope = op_desc.attr("op_namescope") if op_desc.has_attr("op_namescope") else ""
    if isinstance(patterns, str):
        patterns = [patterns]
    return isinstance(patterns, list) and any(pattern in scope for pattern in patterns)
