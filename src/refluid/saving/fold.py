"""Folding batch normalisation into the convolution before it: the same outputs with half the passes over memory.

Only for programs whose parameters do not change any more: a predictor's.
"""

from __future__ import annotations

from collections import Counter

import torch

from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.tensor.scope import Scope

_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")


def fold_batch_norms(program: Program, scope: Scope, fetches: list[str]) -> int:
    """Rewrite conv2d -> batch_norm, with or without a bias between them, to conv2d -> bias; how many were found."""
    block = program.global_block()
    uses = Counter(name for op in program.operators() for name in op.input_arg_names)
    uses.update(fetches)
    makers = {name: op for op in block.ops for name in op.output_arg_names}
    folded = 0
    for norm in [op for op in block.ops if op.type == "batch_norm" and _tests(op)]:
        bias_add, conv = _before(norm, block, makers, uses)
        if conv is None:
            continue
        _fold(block, scope, conv, bias_add, norm)
        folded += 1
    if folded:
        program.touch()
    return folded


def _tests(norm: Operator) -> bool:
    attrs = norm.attrs
    uses_given = attrs.get("use_global_stats") or (attrs.get("is_test") and not attrs.get("trainable_statistics"))
    return bool(uses_given) and attrs.get("data_layout", "NCHW") in ("NCHW", "AnyLayout")


def _before(
    norm: Operator, block: Block, makers: dict[str, Operator], uses: Counter[str]
) -> tuple[Operator | None, Operator | None]:
    """The addition of a bias, if there is one, and the convolution whose only reader is the normalisation."""
    found = makers.get(norm.input("X")[0])
    bias_add = None
    if found is not None and found.type == "elementwise_add" and found.attrs.get("axis") == 1:
        bias = block.find_var(found.input("Y")[0])
        if uses[norm.input("X")[0]] == 1 and bias is not None and bias.persistable and len(bias.shape) == 1:
            bias_add, found = found, makers.get(found.input("X")[0])
    if (
        found is None
        or found.type not in _CONVOLUTIONS
        or found.attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout")
        or found.input("Bias")
        or found.input("ResidualData")
        or uses[found.output("Output")[0]] != 1
    ):
        return None, None
    return bias_add, found


def _fold(block: Block, scope: Scope, conv: Operator, bias_add: Operator | None, norm: Operator) -> None:
    def value(name: str) -> torch.Tensor:
        return scope.find_var(name).get_tensor().value()  # type: ignore[union-attr]

    scale, shift, mean, variance = (value(norm.input(slot)[0]) for slot in ("Scale", "Bias", "Mean", "Variance"))
    factor = scale / torch.sqrt(variance + norm.attrs.get("epsilon", 1e-5))
    filters = value(conv.input("Filter")[0])
    bias = value(bias_add.input("Y")[0]) if bias_add is not None else torch.zeros_like(mean)
    output = norm.output("Y")[0]
    new_filter, new_bias = (_parameter(block, scope, f"{output}.folded_{kind}", t) for kind, t in (
        ("filter", filters * factor.reshape(-1, 1, 1, 1)), ("bias", (bias - mean) * factor + shift)
    ))  # fmt: skip
    conv._rename_input(conv.input("Filter")[0], new_filter)
    add = Operator(
        block,
        "elementwise_add",
        {"X": [conv.output("Output")[0]], "Y": [new_bias]},
        {"Out": [output]},
        {"axis": 1},
        norm.site,
    )
    block.finish_attrs(add.attrs)
    block.ops[block.ops.index(norm)] = add
    if bias_add is not None:
        block.ops.remove(bias_add)


def _parameter(block: Block, scope: Scope, name: str, t: torch.Tensor) -> str:
    block.create_var(name=name, shape=list(t.shape), dtype=t.dtype, persistable=True)
    scope.var(name).get_tensor().t = t.contiguous()
    return name
