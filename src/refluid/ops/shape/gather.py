"""gather, index_select, index_sample: elements chosen by index along one axis."""

from __future__ import annotations

from refluid.core.errors import ShapeError, ValueRangeError
from refluid.ops.registry import INDICES, Shape, Tensor, op
from refluid.ops.shape.sizes import axis_of


def out_of_range(index: Tensor, size: int, name: str = "Index") -> ValueRangeError:
    """The error of an index out of range; built only after torch has refused it."""
    low, high = int(index.min()), int(index.max())
    return ValueRangeError(f"{name} must be in [0, {size - 1}], got {low if low < 0 else high}")


def vector(index: Tensor, name: str = "Index") -> Tensor:
    if index.dim() == 1:
        return index
    if index.dim() == 2 and index.shape[1] == 1:
        return index.reshape(-1)
    raise ShapeError(f"{name} must have shape [N] or [N, 1], got {list(index.shape)}")


def chosen(X: Tensor, index: Tensor, axis: int, name: str = "Index") -> Tensor:
    try:
        return X.index_select(axis, index)
    except (IndexError, RuntimeError):
        if index.is_meta or not index.numel():
            raise
        raise out_of_range(index, X.shape[axis], name) from None


@op("Out", dtypes={"Index": INDICES}, lod=None, late="Index")
def gather(X: Tensor, Index: Tensor, *, overwrite: bool = True) -> Tensor:
    """Out[i] = X[Index[i]]. With overwrite a row gathered twice gets the gradient of its last occurrence alone."""
    return chosen(X, vector(Index), 0)


@gather.grad
def gather_grad(X: Shape, Index: Tensor, Out_grad: Tensor, *, overwrite: bool) -> Tensor:
    grad = Out_grad.new_zeros(X)
    if overwrite:
        # index_copy_ takes int64 alone
        return grad.index_copy_(0, vector(Index).long(), Out_grad)
    return grad.index_add_(0, vector(Index), Out_grad)


@op("Out", dtypes={"Index": INDICES}, lod=None)
def index_select(X: Tensor, Index: Tensor, *, dim: int = 0) -> Tensor:
    """Out is X at the indices Index along axis dim."""
    return chosen(X, vector(Index), axis_of(dim, X.dim(), "dim"))


@index_select.grad
def index_select_grad(X: Shape, Index: Tensor, Out_grad: Tensor, *, dim: int) -> Tensor:
    return Out_grad.new_zeros(X).index_add_(dim, vector(Index), Out_grad)


@op("Out", dtypes={"Index": INDICES}, lod=None)
def index_sample(X: Tensor, Index: Tensor) -> Tensor:
    """Out[i, j] = X[i, Index[i, j]]."""
    if X.dim() != 2 or Index.dim() != 2 or X.shape[0] != Index.shape[0]:
        raise ShapeError(
            f"X and Index must be matrices with the same number of rows, got {list(X.shape)} and {list(Index.shape)}"
        )
    try:
        return X.gather(1, Index.long())
    except RuntimeError:
        raise out_of_range(Index, X.shape[1]) from None


@index_sample.grad
def index_sample_grad(X: Shape, Index: Tensor, Out_grad: Tensor) -> Tensor:
    return Out_grad.new_zeros(X).scatter_add_(1, Index.long(), Out_grad)
