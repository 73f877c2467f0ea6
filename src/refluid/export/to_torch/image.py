"""Convolutions, poolings, normalisations, resized images."""

from __future__ import annotations

import math

import torch

from refluid.export.deconvolution import deconvolution, space
from refluid.export.mapping import Unsupported, Value, need_even_groups, need_test_mode
from refluid.export.to_torch import helpers
from refluid.export.to_torch.writer import Writer, call, literal, maps, sizes
from refluid.ops.nn.geometry import as_pad, is_channels_last, pad_sides
from refluid.ops.nn.pooling import windows


def first(X: Value, layout: str) -> str:
    """The expression of X with its channels on axis 1."""
    return f"{X}.movedim(-1, 1)" if is_channels_last(layout) else X.name


def last(out: str, layout: str) -> str:
    return f"{out}.movedim(1, -1)" if is_channels_last(layout) else out


def unless(value: list[int], default: int) -> str | None:
    """Sizes for a call, None where they are all the default."""
    return None if all(one == default for one in value) else sizes(value)


@maps("conv2d", "depthwise_conv2d", "conv3d")
def conv(
    w: Writer,
    Input: Value,
    Filter: Value,
    Bias: Value | None,
    *,
    strides: list[int],
    paddings: list[int],
    padding_algorithm: str,
    groups: int,
    dilations: list[int],
    data_format: str,
) -> str:
    x, padding = first(Input, data_format), None
    if padding_algorithm == "SAME":
        x = call(w.use(helpers.pad_same), x, list(Filter.shape[2:]), strides)
        dilations = [1] * len(dilations)  # Fluid: SAME knows no dilation
    else:
        sides = pad_sides(paddings, padding_algorithm, space(Input, data_format), Filter.shape[2:], strides)
        if all(before == after >= 0 for before, after in sides):
            padding = unless([before for before, _ in sides], 0)
        else:
            x = f"F.pad({x}, {as_pad(sides)})"
    out = call(f"F.conv{len(strides)}d", x, Filter, bias=Bias, stride=unless(strides, 1), padding=padding,
               dilation=unless(dilations, 1), groups=groups if groups > 1 else None)  # fmt: skip
    return last(out, data_format)


@maps("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
def conv_transpose(
    w: Writer,
    Input: Value,
    Filter: Value,
    Bias: Value | None,
    *,
    output_size: list[int],
    groups: int,
    dilations: list[int],
    strides: list[int],
    paddings: list[int],
    data_format: str,
    padding_algorithm: str,
) -> str:
    sides, extra, dilations = deconvolution(
        Input, Filter, output_size, groups, dilations, strides, paddings, data_format, padding_algorithm
    )
    # torch crops both sides equally: it crops the smaller, the rest is cropped here.
    even = [min(side) for side in sides]
    ends = [after - pad - more for (_, after), pad, more in zip(sides, even, extra)]
    out = call(f"F.conv_transpose{len(strides)}d", first(Input, data_format), Filter, bias=Bias,
               stride=unless(strides, 1), padding=unless(even, 0),
               output_padding=unless([max(-end, 0) for end in ends], 0), groups=groups if groups > 1 else None,
               dilation=unless(dilations, 1))  # fmt: skip
    cuts = [(before - pad, max(end, 0)) for (before, _), pad, end in zip(sides, even, ends)]
    if any(any(cut) for cut in cuts):
        out += f"[:, :, {', '.join(f'{start or str()}:{-end if end else str()}' for start, end in cuts)}]"
    return last(out, data_format)


@maps("pool2d", "pool3d")
def pool(
    w: Writer,
    X: Value,
    *,
    pooling_type: str,
    ksize: list[int],
    strides: list[int],
    paddings: list[int],
    padding_algorithm: str,
    global_pooling: bool,
    adaptive: bool,
    exclusive: bool,
    ceil_mode: bool,
    data_format: str,
) -> str:
    x, rank, largest = first(X, data_format), X.rank - 2, pooling_type == "max"
    axes = tuple(range(2, X.rank))
    if global_pooling:
        return last(f"{x}.{'amax' if largest else 'mean'}({axes}, keepdim=True)", data_format)
    if adaptive:
        return last(f"F.adaptive_{'max' if largest else 'avg'}_pool{rank}d({x}, {sizes(ksize)})", data_format)
    known = space(X, data_format)
    if -1 in known:
        sides = pad_sides(paddings, padding_algorithm, known, ksize, strides)
        if padding_algorithm == "SAME" or any(
            2 * max(side) > k or min(side) < 0 or side[0] != side[1] for side, k in zip(sides, ksize)
        ):
            raise Unsupported(f"this padding needs a fixed input size, but X is {list(X.shape)}")
        known = tuple(k + s * 8 for k, s in zip(ksize, strides))  # any size: no window leaves the image
    placed = windows(rank, known, ksize, strides, paddings, padding_algorithm, ceil_mode)
    padding = unless(list(placed.paddings), 0)
    ceil = "True" if placed.ceil_mode else None
    if largest:
        if placed.sides is not None:
            x = f"F.pad({x}, {as_pad(placed.sides)}, value=-torch.inf)"
        out = call(f"F.max_pool{rank}d", x, sizes(ksize), sizes(strides), padding, ceil_mode=ceil)
    elif placed.sides is not None and exclusive:
        out = call(w.use(helpers.average_inside), x, as_pad(placed.sides), ksize, strides)
    else:
        if placed.sides is not None:
            x = f"F.pad({x}, {as_pad(placed.sides)})"
        inside = "False" if exclusive and padding else None
        divisor = math.prod(ksize) if not exclusive and ceil else None  # else a clipped window counts its cells alone
        out = call(f"F.avg_pool{rank}d", x, sizes(ksize), sizes(strides), padding=padding, ceil_mode=ceil,
                   count_include_pad=inside, divisor_override=divisor)  # fmt: skip
    return last(out.replace(", None", ""), data_format)


@maps("batch_norm", "sync_batch_norm")
def batch_norm(
    w: Writer,
    X: Value,
    Scale: Value,
    Bias: Value,
    Mean: Value,
    Variance: Value,
    *,
    is_test: bool,
    epsilon: float,
    data_layout: str,
    use_global_stats: bool,
    trainable_statistics: bool,
) -> str:
    need_test_mode(use_global_stats or (is_test and not trainable_statistics))
    x = first(X, data_layout)
    return last(call("F.batch_norm", x, Mean, Variance, Scale, Bias, eps=literal(epsilon)), data_layout)


@maps("layer_norm")
def layer_norm(
    w: Writer, X: Value, Scale: Value | None, Bias: Value | None, *, epsilon: float, begin_norm_axis: int
) -> str:  # fmt: skip
    features = f"{X}.shape[{begin_norm_axis}:]"
    flat = begin_norm_axis == X.rank - 1
    scale, bias = (t if flat or t is None else f"{t}.reshape({features})" for t in (Scale, Bias))
    return call("F.layer_norm", X, features, weight=scale, bias=bias, eps=literal(epsilon))


@maps("instance_norm")
def instance_norm(w: Writer, X: Value, Scale: Value, Bias: Value, *, epsilon: float) -> str:
    return call("torch.group_norm", X, f"{X}.shape[1]", Scale, Bias, literal(epsilon))


@maps("group_norm")
def group_norm(
    w: Writer, X: Value, Scale: Value | None, Bias: Value | None, *, groups: int, epsilon: float, data_layout: str
) -> str:  # fmt: skip
    need_even_groups(X.shape[-1 if is_channels_last(data_layout) else 1], groups)
    out = call("torch.group_norm", first(X, data_layout), groups, weight=Scale, bias=Bias, eps=literal(epsilon))
    return last(out, data_layout)


@maps("affine_channel")
def affine_channel(w: Writer, X: Value, Scale: Value, Bias: Value, *, data_layout: str) -> str:
    ones = "" if is_channels_last(data_layout) else ", 1" * (X.rank - 2)
    return f"{X} * {Scale}.reshape(-1{ones}) + {Bias}.reshape(-1{ones})"


@maps("lrn")
def lrn(w: Writer, X: Value, *, n: int, k: float, alpha: float, beta: float, data_format: str) -> str:
    numbers = [literal(one) for one in (k, alpha, beta)]
    return last(call(w.use(helpers.response_norm), first(X, data_format), n, *numbers), data_format)


@maps("nearest_interp", "linear_interp", "bilinear_interp", "trilinear_interp", "bicubic_interp")
def interp(
    w: Writer,
    X: Value,
    OutSize: Value | None,
    SizeTensor: list[Value],
    Scale: Value | None,
    *,
    data_layout: str,
    out_d: int,
    out_h: int,
    out_w: int,
    scale: float,
    interp_method: str,
    align_corners: bool,
    align_mode: int,
) -> str:
    rank, x = X.rank - 2, first(X, data_layout)
    if X.dtype == torch.uint8:
        x = f"{x}.double()"
    named = [out_d, out_h, out_w][-rank:]
    if SizeTensor:
        size = f"[{', '.join(f'int({one})' for one in SizeTensor)}]"
    elif OutSize is not None:
        size = f"{OutSize}.tolist()"
    elif Scale is not None or scale > 0:
        factor = literal(scale) if Scale is None else f"float({Scale})"
        size = f"[int(n * {factor}) for n in {x}.shape[2:]]"
    else:
        size = str(named)
    known = size == str(named) and min(named) > 1
    if interp_method == "nearest" and not align_corners:
        out = call("F.interpolate", x, size, mode='"nearest"')
    elif align_corners and interp_method != "nearest":
        out = call("F.interpolate", x, size, mode=literal(interp_method), align_corners=True)
    elif known and interp_method != "nearest" and (align_mode == 0 or interp_method == "bicubic"):
        out = call("F.interpolate", x, size, mode=literal(interp_method), align_corners=False)
    else:
        out = call(w.use(helpers.resample), x, size, literal(interp_method), align_corners, align_mode)
    if X.dtype == torch.uint8:
        out = f"({out} + 1e-6).to(torch.uint8)"
    return last(out, data_layout)


@maps("space_to_depth")
def space_to_depth(w: Writer, X: Value, *, blocksize: int) -> str:
    b = blocksize
    apart = f"{X}.unflatten(1, ({b}, {b}, -1)).permute(0, 3, 4, 1, 5, 2)"
    to = f"{X}.shape[0], {X}.shape[1] * {b * b}, {X}.shape[2] // {b}, {X}.shape[3] // {b}"
    return f"{apart}.reshape({to})"
