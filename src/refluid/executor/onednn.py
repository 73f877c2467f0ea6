"""What oneDNN's kernels do besides: programs that Fluid optimised for it hold activations and sums as attributes.

1.8.5 runs an operator with `use_mkldnn` by oneDNN, which adds `ResidualData` to the result of a convolution and applies
`fuse_activation`. Here they are steps of their own behind it. Other kernels ignore these attributes, in Fluid too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.ir.operator import Operator
from refluid.ops import registry

if TYPE_CHECKING:
    from refluid.executor.step import Step

CONVOLUTIONS = frozenset({"conv2d", "depthwise_conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose"})
# By activation: which attribute of the operator fuse_alpha is.
ACTIVATIONS = {
    "relu": None,
    "relu6": "threshold",
    "leaky_relu": "alpha",
    "swish": "beta",
    "sigmoid": None,
    "tanh": None,
}


def with_fused(step: Step) -> list[Step]:
    """The step, and those that oneDNN would do along with it."""
    operator = step.operator
    if operator.type not in CONVOLUTIONS or not operator.attrs.get("use_mkldnn"):
        return [step]
    steps, result = [step], step.outputs[0][0]
    for number, (kind, others, attrs) in enumerate(_parts(operator)):
        op, before = registry.get(kind), f"{result}@FUSED_{number}"
        steps[-1].outputs[0] = [before]
        given: list[list[str | None]] = [[name] for name in (before, *others)]
        full = op.kernel_attrs(op.complete_attrs(attrs))
        steps.append(replace(step, op=op, inputs=given, outputs=[[result]], attrs=full))
    return steps


def _parts(operator: Operator) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """The operators behind a convolution: type, inputs besides its result, attributes."""
    attrs = operator.attrs
    if attrs.get("fuse_residual_connection") and operator.inputs.get("ResidualData"):
        yield "elementwise_add", operator.inputs["ResidualData"], {}
    # 1.4 to 1.6 had an attribute for each activation.
    name = attrs.get("fuse_activation") or ("relu" if attrs.get("fuse_relu") else "")
    if attrs.get("fuse_brelu"):
        yield "relu6", [], {"threshold": attrs.get("fuse_brelu_threshold", 6.0)}
    elif name:
        if name not in ACTIVATIONS:
            raise ArgumentError(f"fuse_activation must be one of {', '.join(ACTIVATIONS)}, got {name!r}")
        parameter = ACTIVATIONS[name]
        yield name, [], {parameter: attrs.get("fuse_alpha", 0.0)} if parameter else {}
