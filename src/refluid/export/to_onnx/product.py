"""Products of matrices."""

from __future__ import annotations

from refluid.export.mapping import Value, need_one_head
from refluid.export.to_onnx.graph import Graph, maps


@maps("mul")
def mul(g: Graph, X: Value, Y: Value, *, x_num_col_dims: int, y_num_col_dims: int) -> str:
    if Y.rank == 2 and X.rank == x_num_col_dims + 1:
        return g.node("MatMul", X, Y)
    x = X.name if X.rank == 2 else g.node("Flatten", X, axis=x_num_col_dims)
    y = Y.name if Y.rank == 2 else g.node("Flatten", Y, axis=y_num_col_dims)
    out = g.node("MatMul", x, y)
    if x_num_col_dims == 1 and Y.rank - y_num_col_dims == 1:
        return out
    return g.node("Reshape", out, g.concat(g.sizes(X, 0, x_num_col_dims), g.sizes(Y, y_num_col_dims)))


@maps("matmul")
def matmul(
    g: Graph, X: Value, Y: Value, *, transpose_X: bool, transpose_Y: bool, alpha: float, head_number: int = 1
) -> str:  # fmt: skip
    need_one_head(head_number)
    # A vector is a row as X and a column as Y. As matrices: onnxruntime's fusions get products with vectors wrong.
    x = g.unsqueeze(X, int(transpose_X)) if X.rank == 1 else _transposed(g, X, transpose_X)
    y = g.unsqueeze(Y, int(not transpose_Y)) if Y.rank == 1 else _transposed(g, Y, transpose_Y)
    out = g.node("MatMul", x, y)
    gone = [-2] * (X.rank == 1 and not transpose_X) + [-1] * (Y.rank == 1 and not transpose_Y)
    if len(gone) == 2 and max(X.rank, Y.rank) == 1:
        gone = [-1]  # there are no tensors without axes
    out = g.squeeze(out, *gone)
    return out if alpha == 1 else g.node("Mul", out, g.number(alpha, X))


def _transposed(g: Graph, value: Value, transpose: bool) -> str:
    return g.transpose(value, *range(value.rank - 2), value.rank - 1, value.rank - 2) if transpose else value.name


@maps("fc")
def fc(
    g: Graph, Input: Value, W: Value, Bias: Value | None, *, in_num_col_dims: int, activation_type: str
) -> str:  # fmt: skip
    x = Input if Input.rank == in_num_col_dims + 1 else g.node("Reshape", Input, _rows(g, Input, in_num_col_dims))
    out = g.node("MatMul", x, W)
    out = out if Bias is None else g.node("Add", out, g.reshape(Bias, -1))
    return g.node("Relu", out) if activation_type else out


def _rows(g: Graph, value: Value, columns_from: int) -> str:
    """The shape with all axes from `columns_from` on as one."""
    return g.concat(g.sizes(value, 0, columns_from), g.ints(-1))


@maps("bmm")
def bmm(g: Graph, X: Value, Y: Value) -> str:
    return g.node("MatMul", X, Y)


@maps("dot")
def dot(g: Graph, X: Value, Y: Value) -> str:
    return g.reduce("Sum", g.node("Mul", X, Y), [-1], True)


@maps("addmm")
def addmm(g: Graph, Input: Value, X: Value, Y: Value, *, Alpha: float, Beta: float) -> str:
    return g.node("Gemm", X, Y, Input, alpha=Alpha, beta=Beta)


@maps("cos_sim")
def cos_sim(g: Graph, X: Value, Y: Value) -> str:
    x, y = (g.node("Flatten", value, axis=1) for value in (X, Y))
    # Fluid: rows shorter than 1e-4 count as that long.
    norms = [g.node("Max", g.reduce("L2", value, [1], True), g.number(1e-4, X)) for value in (x, y)]
    return g.node("Div", g.node("Div", g.reduce("Sum", g.node("Mul", x, y), [1], True), norms[0]), norms[1])
