"""Arithmetic, comparisons and logic of two tensors."""

from __future__ import annotations

from refluid.export.mapping import Value
from refluid.export.to_onnx.graph import Graph, maps

BINARY = {
    "elementwise_add": "Add", "elementwise_sub": "Sub", "elementwise_mul": "Mul", "elementwise_div": "Div",
    "elementwise_max": "Max", "elementwise_min": "Min", "elementwise_pow": "Pow", "elementwise_floordiv": "Div",
    "equal": "Equal", "less_than": "Less", "less_equal": "LessOrEqual", "greater_than": "Greater",
    "greater_equal": "GreaterOrEqual",
}  # fmt: skip


def aligned(g: Graph, X: Value, Y: Value, axis: int) -> tuple[str, str]:
    """Fluid broadcasts the input of lower rank from `axis` on; ONNX aligns the last axes only."""
    low, high = (Y, X) if Y.rank <= X.rank else (X, Y)
    behind = 0 if axis == -1 else high.rank - low.rank - axis
    if low.rank == high.rank or behind <= 0:
        return X.name, Y.name
    laid = g.unsqueeze(low, *range(low.rank, low.rank + behind))
    return (X.name, laid) if low is Y else (laid, Y.name)


def _binary(target: str):
    def mapper(g: Graph, X: Value, Y: Value, *, axis: int = -1) -> str:
        return g.node(target, *aligned(g, X, Y, axis))

    return mapper


for _type, _target in BINARY.items():
    maps(_type)(_binary(_target))


@maps("not_equal")
def not_equal(g: Graph, X: Value, Y: Value, *, axis: int) -> str:
    return g.node("Not", g.node("Equal", *aligned(g, X, Y, axis)))


@maps("minus")
def minus(g: Graph, X: Value, Y: Value) -> str:
    return g.node("Sub", X, Y)


@maps("elementwise_mod")
def elementwise_mod(g: Graph, X: Value, Y: Value, *, axis: int) -> str:
    x, y = aligned(g, X, Y, axis)
    if not X.dtype.is_floating_point:
        return g.node("Mod", x, y, fmod=1)
    whole = g.node("Floor", g.node("Div", x, y))  # Fluid: the remainder of floats has the sign of Y
    return g.node("Sub", x, g.node("Mul", whole, y))


def _logical(target: str):
    def mapper(g: Graph, X: Value, Y: Value) -> str:
        # Fluid: as many elements are enough, whatever their shapes.
        y = Y if X.rank == Y.rank else g.node("Reshape", Y, g.sizes(X))
        return g.node(target, X, y)

    return mapper


for _type, _target in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
    maps(_type)(_logical(_target))


@maps("scale")
def scale(
    g: Graph, X: Value, ScaleTensor: Value | None, *, scale: float, bias: float, bias_after_scale: bool
) -> str:  # fmt: skip
    if not X.dtype.is_floating_point:
        scale, bias = int(scale), int(bias)  # Fluid: both are rounded towards zero, then applied
    factor = None
    if ScaleTensor is not None:
        factor = g.cast(ScaleTensor, X.dtype)
    elif scale != 1:
        factor = g.number(scale, X)
    out = X.name
    for step in ("Mul", "Add") if bias_after_scale else ("Add", "Mul"):
        if step == "Mul" and factor is not None:
            out = g.node("Mul", out, factor)
        elif step == "Add" and bias != 0:
            out = g.node("Add", out, g.number(bias, X))
    return out if out != X.name else g.node("Identity", X)


@maps("increment")
def increment(g: Graph, X: Value, *, step: float) -> str:
    return g.node("Add", X, g.number(step if X.dtype.is_floating_point else int(step), X))


@maps("sum")
def sum(g: Graph, X: list[Value]) -> str:
    out = X[0].name
    for one in X[1:]:
        out = g.node("Add", out, one)
    return out if len(X) > 1 else g.node("Identity", out)


@maps("pow")
def pow(g: Graph, X: Value, FactorTensor: Value | None, *, factor: float) -> str:
    if FactorTensor is not None:
        return g.node("Pow", X, g.cast(FactorTensor, X.dtype))
    return g.node("Pow", X, g.number(factor if X.dtype.is_floating_point else int(factor), X))


@maps("clip")
def clip(g: Graph, X: Value, Min: Value | None, Max: Value | None, *, min: float, max: float) -> str:
    low = g.number(min, X) if Min is None else g.cast(g.node("Squeeze", Min), X.dtype)
    high = g.number(max, X) if Max is None else g.cast(g.node("Squeeze", Max), X.dtype)
    return g.node("Clip", X, low, high)


@maps("where")
def where(g: Graph, Condition: Value, X: Value, Y: Value) -> str:
    return g.where(Condition, X, Y)
