"""Reductions over axes, norms, and running sums."""

from __future__ import annotations

import torch

from refluid.core.dtypes import torch_dtype
from refluid.export.mapping import Value
from refluid.export.to_onnx.graph import Graph, maps
from refluid.ops.math.reduce import reduced_axes

KINDS = {
    "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod",
    "reduce_all": "Min", "reduce_any": "Max", "logsumexp": "LogSumExp", "frobenius_norm": "L2",
}  # fmt: skip


def _reduction(kind: str):
    def mapper(
        g: Graph, X: Value, *, dim: list[int], keep_dim: bool, reduce_all: bool, out_dtype: int = -1
    ) -> str:  # fmt: skip
        axes = reduced_axes(X.rank, dim, reduce_all)
        x = X.name if out_dtype < 0 else g.cast(X, torch_dtype(out_dtype))
        if X.dtype is torch.bool:  # ONNX reduces numbers alone
            x = g.cast(x, torch.int32)
        out = g.reduce(kind, x, axes, keep_dim)
        if len(axes) == X.rank and not keep_dim:
            out = g.reshape(out, 1)  # there are no tensors without axes
        return g.cast(out, torch.bool) if X.dtype is torch.bool else out

    return mapper


for _type, _kind in KINDS.items():
    maps(_type)(_reduction(_kind))


@maps("mean")
def mean(g: Graph, X: Value) -> str:
    return g.reshape(g.reduce("Mean", X, list(range(X.rank)), False), 1)


@maps("cumsum")
def cumsum(g: Graph, X: Value, *, axis: int, exclusive: bool, reverse: bool) -> str:
    return g.node("CumSum", X, g.constant(axis, torch.int64), exclusive=int(exclusive), reverse=int(reverse))


@maps("norm")
def norm(g: Graph, X: Value, *, axis: int, epsilon: float) -> tuple[str, str]:
    squares = g.reduce("SumSquare", X, [axis], True)
    length = g.node("Sqrt", g.node("Add", squares, g.number(epsilon, X)))
    return length, g.node("Div", X, length)


@maps("p_norm")
def p_norm(g: Graph, X: Value, *, porder: float, axis: int, keepdim: bool) -> str:
    if porder in (1.0, 2.0):
        out = g.reduce(f"L{int(porder)}", X, [axis], keepdim)
    else:
        powers = g.node("Pow", g.node("Abs", X), g.number(porder, X))
        out = g.node("Pow", g.reduce("Sum", powers, [axis], keepdim), g.number(1 / porder, X))
    return g.reshape(out, 1) if X.rank == 1 and not keepdim else out


@maps("squared_l2_norm")
def squared_l2_norm(g: Graph, X: Value) -> str:
    return g.reshape(g.reduce("SumSquare", X, list(range(X.rank)), False), 1)


@maps("l1_norm")
def l1_norm(g: Graph, X: Value) -> str:
    return g.reshape(g.reduce("L1", X, list(range(X.rank)), False), 1)


@maps("isnan")
def isnan(g: Graph, X: Value) -> str:
    return _any(g, g.node("IsNaN", _floats(g, X)), X)


@maps("isinf")
def isinf(g: Graph, X: Value) -> str:
    return _any(g, g.node("IsInf", _floats(g, X)), X)


@maps("isfinite")
def isfinite(g: Graph, X: Value) -> str:
    x = _floats(g, X)
    return g.node("Not", _any(g, g.node("Or", g.node("IsNaN", x), g.node("IsInf", x)), X))


def _floats(g: Graph, x: Value) -> str:
    return x.name if x.dtype.is_floating_point else g.cast(x, torch.float32)


def _any(g: Graph, found: str, like: Value) -> str:
    counts = g.reduce("Max", g.cast(found, torch.int32), list(range(like.rank)), False)
    return g.cast(g.reshape(counts, 1), torch.bool)
