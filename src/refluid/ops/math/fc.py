"""fc: a matrix product, a bias and ReLU in one call.

Fluid's fusion passes leave it in inference programs. The imperative mode runs Linear by it, so here it has a gradient.
"""

from __future__ import annotations

import math
from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.math.broadcasting import mixed_dtypes
from refluid.ops.math.mul import as_matrix
from refluid.ops.math.products import addmm, mm, weight_grad
from refluid.ops.registry import FLOATS, Tensor, op

threshold_backward = aten("threshold_backward")

Grads = tuple[Tensor | None, Tensor | None, Tensor | None]
_OPTIONS: dict[str, Any] = {
    "dtypes": {"Input": FLOATS, "W": FLOATS, "Bias": FLOATS},
    "extra_attrs": {"padding_weights": "BOOLEAN"},
}


@op(
    "Out",
    lod="Input",
    fresh=True,
    **_OPTIONS,
    grad_hints="use_mkldnn use_quantizer force_fp32_output Scale_in Scale_out Scale_weights "
    "padding_weights @ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@",
)
def fc(
    Input: Tensor, W: Tensor, Bias: Tensor | None = None, *, in_num_col_dims: int = 1, activation_type: str = ""
) -> Tensor:
    """Out = act(Input.W + Bias); the first in_num_col_dims axes of Input make the rows, act is relu or nothing."""
    if Input.dim() == 2 and in_num_col_dims == 1 and Bias is not None and Bias.shape[-1] == W.shape[-1]:
        try:
            out = addmm(Bias, Input, W)
        except RuntimeError:
            _shape(Input, W, Bias, in_num_col_dims)  # tells it better
            raise
    else:
        shape = _shape(Input, W, Bias, in_num_col_dims)
        x = as_matrix(Input, in_num_col_dims)
        out = (mm(x, W) if Bias is None else addmm(Bias, x, W)).view(shape)
    if not activation_type:
        return out
    _check_activation(activation_type)
    return out.relu_()


@fc.infer
def infer_fc(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, w, bias = inputs
    _check_activation(attrs["activation_type"])
    return [Spec(_shape(x, w, bias, attrs["in_num_col_dims"]), x.dtype)]


@fc.grad
def fc_grad(
    Input: Tensor,
    W: Tensor,
    Bias: Tensor | None,
    Out_grad: Tensor,
    *,
    needs: tuple[bool, ...],
    in_num_col_dims: int,
    activation_type: str,
) -> Grads:
    x, grad = _matrices(Input, W, Bias, Out_grad, in_num_col_dims, activation_type)
    x_grad = mm(grad, W.t()) if needs[0] else None
    if x_grad is not None and x is not Input:
        x_grad = x_grad.view(Input.shape)
    w_grad = weight_grad(x, grad) if needs[1] else None
    bias_grad = grad.sum(0, keepdim=Bias.dim() == 2) if Bias is not None and needs[2] else None
    return x_grad, w_grad, bias_grad


fc_grad.postpones("W", reads="Input", unless="activation_type")  # which is recomputed


@fc_grad.adds("W")
def add_w(
    total: Tensor,
    Input: Tensor,
    W: Tensor,
    Bias: Tensor | None,
    Out_grad: Tensor,
    *,
    in_num_col_dims: int,
    activation_type: str,
) -> bool:
    x, grad = _matrices(Input, W, Bias, Out_grad, in_num_col_dims, activation_type)
    total.addmm_(x.t(), grad)
    return True


def _matrices(
    x: Tensor, w: Tensor, bias: Tensor | None, out_grad: Tensor, in_num_col_dims: int, activation_type: str
) -> tuple[Tensor, Tensor]:
    """Input, and the gradient of ReLU's input, as matrices."""
    grad = out_grad
    if activation_type:  # recomputed: saving it would keep the output alive of every Linear, which has no activation
        out = fc.kernel(x, w, bias, in_num_col_dims=in_num_col_dims, activation_type=activation_type)
        grad = threshold_backward(out_grad, out, 0)
    if x.dim() == 2:
        return x, grad
    return as_matrix(x, in_num_col_dims), grad.reshape(-1, w.shape[1])


def _shape(x: Tensor | Spec, w: Tensor | Spec, bias: Tensor | Spec | None, in_num_col_dims: int) -> tuple[int, ...]:
    """The shape of the result of tensors or specs, or an error. -1 is an unknown size."""
    sizes = tuple(x.shape)
    for other in (w, bias):
        if other is not None and other.dtype is not x.dtype:
            raise mixed_dtypes(x.dtype, other.dtype)
    if len(w.shape) != 2:
        raise ShapeError(f"W must be a matrix, got {list(w.shape)}")
    if not 0 < in_num_col_dims < len(sizes):
        raise ShapeError(f"Input of rank {len(sizes)} cannot be flattened to a matrix at axis {in_num_col_dims}")
    rows, columns = w.shape
    columns_of_x = sizes[in_num_col_dims:]
    if -1 not in (rows, *columns_of_x) and math.prod(columns_of_x) != rows:
        raise ShapeError(
            f"Input flattened from axis {in_num_col_dims} has {math.prod(columns_of_x)} columns, but W has {rows} rows"
        )
    if bias is not None and tuple(bias.shape) not in ((columns,), (1, columns)):
        raise ShapeError(f"Bias must have one element for each of the {columns} columns of W, got {list(bias.shape)}")
    return sizes[:in_num_col_dims] + (columns,)


def _check_activation(activation_type: str) -> None:
    if activation_type not in ("", "relu"):
        raise ArgumentError(f"activation_type must be 'relu' or '', got {activation_type!r}")
