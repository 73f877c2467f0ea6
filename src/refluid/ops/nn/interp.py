"""linear, bilinear, trilinear, nearest and bicubic _interp: images of another size.

Every axis of Out is a sum of a few cells of X ("taps"): 1 for nearest, 2 for linear, 4 for cubic. Where torch places
its taps as Fluid does, its kernel is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.aten import aten
from refluid.ops.infer import Spec
from refluid.ops.math.sum import added
from refluid.ops.nn.geometry import channels_first, channels_last, check_rank, is_channels_last
from refluid.ops.registry import FLOATS, Shape, Tensor, op

CUBIC = -0.75  # the free parameter of the cubic kernel

# By method: torch's kernel, its gradient, whether they take align_corners.
NATIVE: dict[str, tuple[Callable, Callable, bool]] = {
    "linear": (torch._C._nn.upsample_linear1d, aten("upsample_linear1d_backward"), True),
    "bilinear": (torch._C._nn.upsample_bilinear2d, aten("upsample_bilinear2d_backward"), True),
    "trilinear": (torch._C._nn.upsample_trilinear3d, aten("upsample_trilinear3d_backward"), True),
    "nearest": (torch._C._nn.upsample_nearest2d, aten("upsample_nearest2d_backward"), False),
    "bicubic": (torch._C._nn.upsample_bicubic2d, aten("upsample_bicubic2d_backward"), True),
}
RANK = {"linear": 1, "bilinear": 2, "trilinear": 3, "nearest": 2, "bicubic": 2}


def _register(method: str, late: str = "") -> None:
    rank = RANK[method]

    @op(type=f"{method}_interp", dtypes={"X": FLOATS | {torch.uint8}}, nograd="OutSize SizeTensor Scale", late=late)
    def interp(
        X: Tensor,
        OutSize: Tensor | None = None,
        SizeTensor: list[Tensor] | None = None,
        Scale: Tensor | None = None,
        *,
        data_layout: str = "NCHW",
        out_d: int = 0,
        out_h: int = 0,
        out_w: int = 0,
        scale: float = 0.0,
        interp_method: str = "bilinear" if rank == 2 else method,  # Fluid: in nearest_interp too
        align_corners: bool = True,
        align_mode: int = 1,
    ) -> Tensor:
        """Out = X resampled to the size that SizeTensor, OutSize, Scale, `scale` or out_* names (the first given).

        `align_corners` puts the outermost cells of X and Out on each other; without it, `align_mode` 0 takes the
        centers of cells as their positions, 1 their starts.
        """
        check_rank("X", X, rank + 2)
        last = is_channels_last(data_layout)
        x = channels_first(X) if last else X
        if X.dtype == torch.uint8:
            x = x.double()
        sizes = _sizes(x.shape[2:], OutSize, SizeTensor, Scale, scale, [out_d, out_h, out_w][-rank:])
        _check_method(interp_method, rank)
        if _is_native(interp_method, sizes, align_corners, align_mode):
            kernel, _, takes_align = NATIVE[interp_method]
            out = kernel(x, sizes, align_corners) if takes_align else kernel(x, sizes)
        else:
            out = x
            for axis, (old, new) in enumerate(zip(x.shape[2:], sizes), 2):
                taps = _taps(interp_method, old, new, align_corners, align_mode, x)
                shape = [1] * axis + [-1] + [1] * (rank + 1 - axis)
                out = added([out.index_select(axis, index) * weight.reshape(shape) for index, weight in taps])
        if X.dtype == torch.uint8:  # Fluid truncates; rounding errors must not push a whole number below itself
            out = (out + 1e-6).to(X.dtype)
        return channels_last(out) if last else out

    @interp.grad
    def interp_grad(
        X: Shape,
        OutSize: Shape | None,
        SizeTensor: list[Shape] | None,
        Scale: Shape | None,
        Out_grad: Tensor,
        *,
        data_layout: str,
        interp_method: str,
        align_corners: bool,
        align_mode: int,
    ) -> Tensor:
        last = is_channels_last(data_layout)
        grad = channels_first(Out_grad) if last else Out_grad
        old_sizes, sizes = list(X[1:-1] if last else X[2:]), list(grad.shape[2:])
        if _is_native(interp_method, sizes, align_corners, align_mode):
            _, backward, takes_align = NATIVE[interp_method]
            whole = [*grad.shape[:2], *old_sizes]
            grad = backward(grad, sizes, whole, align_corners) if takes_align else backward(grad, sizes, whole)
        else:
            for axis, (old, new) in enumerate(zip(old_sizes, sizes), 2):
                taps = _taps(interp_method, old, new, align_corners, align_mode, grad)
                shape = [1] * axis + [-1] + [1] * (rank + 1 - axis)
                zeros = grad.new_zeros([*grad.shape[:axis], old, *grad.shape[axis + 1 :]])
                for place, weight in taps:
                    zeros = zeros.index_add(axis, place, grad * weight.reshape(shape))
                grad = zeros
        return channels_last(grad) if last else grad

    @interp.infer
    def interp_infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
        """Sizes that come as tensors are known only when they run, except those that the attributes repeat."""
        x, out_size, size_tensor, scale = inputs
        if len(x.shape) != rank + 2:
            raise ShapeError(f"X must have {rank + 2} dimensions, got {len(x.shape)}: {list(x.shape)}")
        last = is_channels_last(attrs["data_layout"])
        old = x.shape[1:-1] if last else x.shape[2:]
        named = [attrs["out_d"], attrs["out_h"], attrs["out_w"]][-rank:]
        if size_tensor:
            sizes = [n if n > 0 else -1 for n in named]
        elif out_size is not None or scale is not None:
            sizes = [-1] * rank
        elif attrs["scale"] > 0:
            sizes = [int(n * attrs["scale"]) if n > 0 else -1 for n in old]
        else:
            sizes = _sizes(old, None, None, None, 0.0, named)
        n, c = x.shape[0], x.shape[-1 if last else 1]
        return [Spec((n, *sizes, c) if last else (n, c, *sizes), x.dtype)]


def _sizes(
    old: Sequence[int], OutSize: Tensor | None, SizeTensor: list[Tensor] | None, Scale: Tensor | None, scale: float,
    named: list[int],
) -> list[int]:  # fmt: skip
    if SizeTensor:
        sizes = [int(t.flatten()[0]) for t in SizeTensor]
    elif OutSize is not None:
        sizes = OutSize.tolist()
    elif Scale is not None or scale > 0:
        factor = scale if Scale is None else float(Scale.flatten()[0])
        sizes = [int(n * factor) for n in old]
    else:
        sizes = named
    if len(sizes) != len(old) or min(sizes) < 1:
        raise ArgumentError(f"the output size must be {len(old)} positive numbers, got {list(sizes)}")
    return sizes


def _check_method(method: str, rank: int) -> None:
    if RANK.get(method) != rank:
        known = ", ".join(name for name, r in RANK.items() if r == rank)
        raise ArgumentError(f"interp_method must be one of {known} for {rank} spatial axes, got {method!r}")


def _is_native(method: str, sizes: list[int], align_corners: bool, align_mode: int) -> bool:
    if method == "nearest":
        return not align_corners
    # Without aligned corners torch has only mode 0, and treats a single cell differently.
    return align_corners or ((align_mode == 0 or method == "bicubic") and min(sizes) > 1)


def _taps(
    method: str, old: int, new: int, align_corners: bool, align_mode: int, like: Tensor
) -> list[tuple[Tensor, Tensor]]:
    """The cells of an axis of X that make up each cell of Out, and their weights."""
    ratio = 0.0 if new == 1 else (old - 1) / (new - 1) if align_corners else old / new
    # float32, as Fluid counts: which cell is the nearest may hang on the last bit.
    position = torch.arange(new, dtype=torch.float32, device=like.device) * torch.tensor(ratio, dtype=torch.float32)
    if method == "nearest":
        index = (position + 0.5 if align_corners else position).to(torch.int64)
        return [(index, torch.ones_like(position, dtype=like.dtype))]
    if not align_corners and (align_mode == 0 or method == "bicubic"):
        position = position + (0.5 * ratio - 0.5)
    if method == "bicubic":
        low = position.floor()
        t = (position - low).to(like.dtype)
        a = CUBIC
        near, far = [t, 1 - t], [t + 1, 2 - t]
        inner = [((a + 2) * d - (a + 3)) * d * d + 1 for d in near]
        outer = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in far]
        weights = [outer[0], inner[0], inner[1], outer[1]]
        return [((low + i - 1).to(torch.int64).clamp(0, old - 1), w) for i, w in enumerate(weights)]
    position = position.clamp(min=0.0)
    low = position.floor()
    part = (position - low).to(like.dtype)
    index = low.to(torch.int64).clamp(max=old - 1)
    return [(index, 1 - part), ((index + 1).clamp(max=old - 1), part)]


for _method in RANK:
    _register(_method, late="X" if _method in ("bilinear", "nearest", "trilinear") else "")
