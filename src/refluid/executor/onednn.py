"""What oneDNN's kernels do besides: programs that Fluid optimised for it hold activations and sums as attributes.

1.8.5 runs an operator with `use_mkldnn` by oneDNN, which adds `ResidualData` to the result of a convolution and applies
`fuse_activation`. Here they are nodes of their own behind it. Other kernels ignore these attributes, in Fluid too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.ir.operator import Operator
from refluid.ops import registry
from refluid.ops.registry import OpDef


def fused_parts(operator: Operator) -> Iterator[tuple[OpDef, list[str], dict[str, Any]]]:
    """What oneDNN does along with a convolution: operators, their inputs besides its result, and attributes."""
    for kind, others, attrs in _parts(operator):
        op = registry.get(kind)
        yield op, others, op.kernel_attrs(op.complete_attrs(attrs))


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
        activation = registry.find(name)
        if activation is None or activation.fuse_alpha is None:
            known = [kind for kind in registry.all_types() if registry.get(kind).fuse_alpha is not None]
            raise ArgumentError(f"fuse_activation must be one of {', '.join(known)}, got {name!r}")
        parameter = activation.fuse_alpha
        yield name, [], {parameter: attrs.get("fuse_alpha", 0.0)} if parameter else {}
