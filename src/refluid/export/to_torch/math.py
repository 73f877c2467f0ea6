"""Arithmetic of two tensors, products, reductions."""

from __future__ import annotations

import torch

from refluid.core.dtypes import torch_dtype
from refluid.export.mapping import Value, need_one_head
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, dtype_text, literal, maps
from refluid.ops.math.reduce import reduced_axes

OPERATORS = {
    "elementwise_add": "+", "elementwise_sub": "-", "elementwise_mul": "*", "elementwise_pow": "**", "equal": "==",
    "not_equal": "!=", "less_than": "<", "less_equal": "<=", "greater_than": ">", "greater_equal": ">=",
}  # fmt: skip
LOGIC = {"logical_and": "&", "logical_or": "|", "logical_xor": "^"}


def aligned(X: Value, Y: Value, axis: int) -> tuple[str, str]:
    """Fluid broadcasts the input of lower rank from `axis` on; torch aligns the last axes only."""
    low, high = (Y, X) if Y.rank <= X.rank else (X, Y)
    behind = 0 if axis == -1 else high.rank - low.rank - axis
    if low.rank == high.rank or behind <= 0:
        return X.name, Y.name
    ones = ", 1" * behind
    laid = f"{low}.reshape(-1{ones})" if low.rank == 1 else f"{low}.reshape(*{low}.shape{ones})"
    return (X.name, laid) if low is Y else (laid, Y.name)


def _operator(sign: str):
    def mapper(w: Writer, X: Value, Y: Value, *, axis: int) -> str:
        x, y = aligned(X, Y, axis)
        return f"{x} {sign} {y}"

    return mapper


def _function(name: str):
    def mapper(w: Writer, X: Value, Y: Value, *, axis: int) -> str:
        return call(name, *aligned(X, Y, axis))

    return mapper


for _type, _sign in OPERATORS.items():
    maps(_type)(_operator(_sign))
maps("elementwise_max")(_function("torch.maximum"))
maps("elementwise_min")(_function("torch.minimum"))


@maps("exp")
def exp(w: Writer, X: Value) -> str:
    if X.dtype.is_floating_point:
        return call("torch.exp", X)
    return f"torch.exp({X}.double()).to({dtype_text(X.dtype)})"


@maps("elementwise_div", "elementwise_floordiv")
def elementwise_div(w: Writer, X: Value, Y: Value, *, axis: int) -> str:
    x, y = aligned(X, Y, axis)
    return f"{x} / {y}" if X.dtype.is_floating_point else call("torch.div", x, y, rounding_mode='"trunc"')


@maps("elementwise_mod")
def elementwise_mod(w: Writer, X: Value, Y: Value, *, axis: int) -> str:
    return call(w.use(helpers.remainder), *aligned(X, Y, axis))


def _logic(sign: str):
    def mapper(w: Writer, X: Value, Y: Value) -> str:
        # Fluid: as many elements are enough, whatever their shapes.
        return f"{X} {sign} {Y if X.rank == Y.rank else f'{Y}.reshape({X}.shape)'}"

    return mapper


for _type, _sign in LOGIC.items():
    maps(_type)(_logic(_sign))


@maps("scale")
def scale(
    w: Writer, X: Value, ScaleTensor: Value | None, *, scale: float, bias: float, bias_after_scale: bool
) -> str:  # fmt: skip
    if not X.dtype.is_floating_point:
        scale, bias = int(scale), int(bias)  # Fluid: both are rounded towards zero, then applied
    factor = f" * {ScaleTensor}.to({X}.dtype)" if ScaleTensor is not None else f" * {literal(scale)}"
    factor = "" if scale == 1 and ScaleTensor is None else factor
    offset = "" if bias == 0 else f" + {literal(bias)}" if bias > 0 else f" - {literal(-bias)}"
    if factor and offset and not bias_after_scale:
        return f"({X}{offset}){factor}"
    return f"{X}{factor}{offset}"


@maps("increment")
def increment(w: Writer, X: Value, *, step: float) -> str:
    return f"{X} + {literal(step if X.dtype.is_floating_point else int(step))}"


@maps("sum")
def sum(w: Writer, X: list[Value]) -> str:
    return " + ".join(one.name for one in X)


@maps("pow")
def pow(w: Writer, X: Value, FactorTensor: Value | None, *, factor: float) -> str:
    if FactorTensor is not None:
        return f"{X} ** {FactorTensor}.to({X}.dtype)"
    return f"{X} ** {literal(factor if X.dtype.is_floating_point else int(factor))}"


@maps("mul")
def mul(w: Writer, X: Value, Y: Value, *, x_num_col_dims: int, y_num_col_dims: int) -> str:
    if Y.rank == 2 and X.rank == x_num_col_dims + 1:
        return f"{X} @ {Y}"
    if Y.rank == 2:
        return f"{X}.flatten({x_num_col_dims}) @ {Y}"
    product = f"{X}.flatten({x_num_col_dims}) @ {Y}.flatten({y_num_col_dims}).flatten(0, {y_num_col_dims - 1})"
    return f"({product}).reshape(*{X}.shape[:{x_num_col_dims}], *{Y}.shape[{y_num_col_dims}:])"


@maps("fc")
def fc(
    w: Writer, Input: Value, W: Value, Bias: Value | None, *, in_num_col_dims: int, activation_type: str
) -> str:  # fmt: skip
    x = Input.name if Input.rank == in_num_col_dims + 1 else f"{Input}.flatten({in_num_col_dims})"
    out = f"{x} @ {W}" if Bias is None else f"{x} @ {W} + {Bias}.reshape(-1)"
    return f"torch.relu({out})" if activation_type else out


@maps("matmul")
def matmul(
    w: Writer, X: Value, Y: Value, *, transpose_X: bool, transpose_Y: bool, alpha: float, head_number: int = 1
) -> str:  # fmt: skip
    need_one_head(head_number)
    x = X.name if not transpose_X else f"{X}.unsqueeze(1)" if X.rank == 1 else f"{X}.mT"
    y = Y.name if not transpose_Y else f"{Y}.unsqueeze(0)" if Y.rank == 1 else f"{Y}.mT"
    out = f"{x} @ {y}"
    if X.rank == Y.rank == 1 and not (transpose_X or transpose_Y):
        out = f"({out}).reshape(1)"  # there are no tensors without axes
    return out if alpha == 1 else f"{out} * {literal(alpha)}"


def _reduction(function: str):
    def mapper(
        w: Writer, X: Value, *, dim: list[int], keep_dim: bool, reduce_all: bool, out_dtype: int = -1
    ) -> str:  # fmt: skip
        axes = reduced_axes(X.rank, dim, reduce_all)
        x = X.name if out_dtype < 0 else f"{X}.to({dtype_text(torch_dtype(out_dtype))})"
        # torch sums integers as int64.
        wide = function == "sum" and not X.dtype.is_floating_point and out_dtype < 0
        options = {"keepdim": "True" if keep_dim else None, "dtype": dtype_text(X.dtype) if wide else None}
        name = function if function.startswith("torch.") else f"{x}.{function}"
        if function == "mean" and not X.dtype.is_floating_point and out_dtype < 0:  # Fluid: rounded towards zero
            out = f"{call(f'{x}.double().mean', axes, **options)}.trunc().to({dtype_text(X.dtype)})"
        elif function in ("prod", "all", "any"):  # one axis at a time
            out = x
            for axis in reversed(axes):
                out = call(f"{out}.{function}", axis, **options)
                if function == "prod" and not X.dtype.is_floating_point and out_dtype < 0:
                    out = f"{out}.to({dtype_text(X.dtype)})"
        elif function.startswith("torch.linalg"):
            out = call(name, x, dim=axes, **options)
        elif function.startswith("torch."):
            out = call(name, x, axes, **options)
        else:
            out = call(name, axes, **options)
        # There are no tensors without axes.
        return f"{out}.reshape(1)" if len(axes) == X.rank and not keep_dim else out

    return mapper


for _type, _name in {
    "reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "amax", "reduce_min": "amin", "reduce_prod": "prod",
    "reduce_all": "all", "reduce_any": "any", "logsumexp": "logsumexp", "frobenius_norm": "torch.linalg.vector_norm",
}.items():  # fmt: skip
    maps(_type)(_reduction(_name))


@maps("norm")
def norm(w: Writer, X: Value, *, axis: int, epsilon: float) -> tuple[str, str]:
    length = w.temporary("length", f"({X}.square().sum({axis}, keepdim=True) + {literal(epsilon)}).sqrt()")
    return length, f"{X} / {length}"


@maps("p_norm")
def p_norm(w: Writer, X: Value, *, porder: float, axis: int, keepdim: bool) -> str:
    out = f"torch.linalg.vector_norm({X}, {literal(porder)}, {axis}, keepdim={keepdim})"
    return f"{out}.reshape(1)" if X.rank == 1 and not keepdim else out


def _extreme(function: str):
    def mapper(w: Writer, X: Value, *, axis: int, keepdims: bool, dtype: int) -> str:
        out = f"{X}.{function}({axis}{', keepdim=True' if keepdims else ''})"
        out = f"{out}.reshape(1)" if X.rank == 1 and not keepdims else out
        return out if dtype < 0 or torch_dtype(dtype) is torch.int64 else f"{out}.to({torch_dtype(dtype)})"

    return mapper


maps("arg_max")(_extreme("argmax"))
maps("arg_min")(_extreme("argmin"))
