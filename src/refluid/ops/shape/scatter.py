"""scatter: rows of a tensor replaced."""

from __future__ import annotations

from refluid.core.errors import ShapeError
from refluid.ops.registry import INDICES, Shape, Tensor, op
from refluid.ops.shape.gather import out_of_range


@op("Out", dtypes={"Ids": INDICES}, lod=None, late="Ids")
def scatter(X: Tensor, Ids: Tensor, Updates: Tensor, *, overwrite: bool = True) -> Tensor:
    """Out is X with Out[Ids[i]] = Updates[i].

    A row named twice gets the last of its updates, or their sum if overwrite is False. Fluid: X's own rows are replaced
    in both cases.
    """
    if Ids.dim() != 1:
        raise ShapeError(f"Ids must have shape [N], got {list(Ids.shape)}")
    if Updates.shape != (Ids.shape[0], *X.shape[1:]):
        raise ShapeError(f"Updates must have shape {[Ids.shape[0], *X.shape[1:]]}, got {list(Updates.shape)}")
    ids = Ids.long()
    try:
        if overwrite:
            return X.index_copy(0, ids, Updates)
        return X.index_fill(0, ids, 0).index_add_(0, ids, Updates)
    except (IndexError, RuntimeError):
        if Ids.is_meta or not Ids.numel():
            raise
        raise out_of_range(Ids, X.shape[0], "Ids") from None


@scatter.grad
def scatter_grad(
    Ids: Tensor, Updates: Shape, Out_grad: Tensor, *, needs: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    ids = Ids.long()
    x_grad = Out_grad.index_fill(0, ids, 0) if needs[0] else None
    return x_grad, Out_grad.index_select(0, ids) if needs[1] else None
