"""The convolution of plans that train nothing: a packed filter, and what follows in the same call."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.nn.conv import explain
from refluid.ops.registry import Tensor, define

_UNKNOWN_SIZE = 56  # stands for a height or width that the program leaves open
_SOME_BATCH = 16  # stands for all batches of more than one image

_reorder = torch.ops.mkldnn._reorder_convolution_weight.default._op
_convolution = torch.ops.mkldnn._convolution_pointwise.default._op
_convolution_into = torch.ops.mkldnn._convolution_pointwise_.binary._op


class Packed:
    """A filter in the layouts that oneDNN likes best: one for single images, another for batches, made when asked for.

    Either is right for all batches, but several times slower on the other kind.
    """

    __slots__ = ("_filters", "_layouts", "_settings", "_sizes")

    def __init__(self, filters: Tensor, sizes: tuple[int, ...], settings: tuple):
        self._filters, self._sizes, self._settings = filters, sizes, settings
        self._layouts: dict[bool, Tensor] = {}

    def layout(self, batch: int) -> Tensor:
        single = batch == 1
        reordered = self._layouts.get(single)
        if reordered is None:
            strides, paddings, dilations, groups = self._settings
            shape = [1 if single else _SOME_BATCH, self._filters.shape[1] * groups, *self._sizes]
            reordered = self._layouts[single] = _reorder(self._filters, paddings, strides, dilations, groups, shape)
        return reordered


def pack(
    filters: Tensor,
    *,
    sizes: tuple[int, ...],
    strides: list[int],
    paddings: list[int],
    dilations: list[int],
    groups: int,
) -> Packed:
    """The filter for images of this size; -1 is a size that only a run tells."""
    known = tuple(size if size > 0 else _UNKNOWN_SIZE for size in sizes)
    return Packed(filters, known, (strides, paddings, dilations, groups))


def _conv2d_packed(
    Input: Tensor,
    Filter: Packed,
    Bias: Tensor | None = None,
    Residual: Tensor | None = None,
    *,
    strides: list[int] = [1, 1],  # noqa: B006  # never changed
    paddings: list[int] = [0, 0],  # noqa: B006
    dilations: list[int] = [1, 1],  # noqa: B006
    groups: int = 1,
    act: str = "none",
    numbers: list[float] = [],  # noqa: B006
) -> Tensor:
    """act(conv2d(Input, Filter) + Bias), or that without act + Residual, in the memory of Residual."""
    filters = Filter.layout(Input.shape[0])
    try:
        if Residual is None:
            return _convolution(Input, filters, Bias, paddings, strides, dilations, groups, act, numbers, "")
        return _convolution_into(
            Residual, Input, filters, Bias, paddings, strides, dilations, groups, "add", 1.0, None, [], ""
        )
    except RuntimeError:
        explain(Input, filters, Bias, strides, paddings, groups, dilations)
        if Residual is not None:
            unfused = _convolution(Input, filters, Bias, paddings, strides, dilations, groups, "none", [], "")
            if unfused.shape != Residual.shape:
                raise ShapeError(
                    f"gives {list(unfused.shape)}, to which {list(Residual.shape)} cannot be added"
                ) from None
        raise


# Not registered: it exists in plans only.
ConvPacked: Any = define(_conv2d_packed, "Output", type="conv2d_packed", nograd="*", fresh=True)
