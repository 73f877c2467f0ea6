"""The convolution of plans that train nothing: a packed filter, and what follows in the same call."""

from __future__ import annotations

from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.nn.conv import explain
from refluid.ops.registry import OpDef, Tensor

_UNKNOWN_SIZE = 56  # stands for a height or width that the program leaves open

_reorder = torch.ops.mkldnn._reorder_convolution_weight.default._op
_convolution = torch.ops.mkldnn._convolution_pointwise.default._op
_convolution_into = torch.ops.mkldnn._convolution_pointwise_.binary._op


def pack(
    filters: Tensor,
    *,
    sizes: tuple[int, ...],
    strides: list[int],
    paddings: list[int],
    dilations: list[int],
    groups: int,
) -> Tensor:
    """The filter in the layout that oneDNN likes best for images of this size; it is right for all sizes."""
    shape = [1, filters.shape[1] * groups, *(size if size > 0 else _UNKNOWN_SIZE for size in sizes)]
    return _reorder(filters, paddings, strides, dilations, groups, shape)


def _conv2d_packed(
    Input: Tensor,
    Filter: Tensor,
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
    try:
        if Residual is None:
            return _convolution(Input, Filter, Bias, paddings, strides, dilations, groups, act, numbers, "")
        return _convolution_into(
            Residual, Input, Filter, Bias, paddings, strides, dilations, groups, "add", 1.0, None, [], ""
        )
    except RuntimeError:
        explain(Input, Filter, Bias, strides, paddings, groups, dilations)
        if Residual is not None:
            made = _convolution(Input, Filter, Bias, paddings, strides, dilations, groups, "none", [], "")
            if made.shape != Residual.shape:
                raise ShapeError(f"gives {list(made.shape)}, to which {list(Residual.shape)} cannot be added") from None
        raise


# Not registered: it exists in plans only.
ConvPacked: Any = OpDef(_conv2d_packed, "Output", type="conv2d_packed", nograd="*")
