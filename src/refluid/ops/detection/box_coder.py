"""box_coder: encodes boxes as offsets from prior boxes, and decodes them."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.detection.boxes import centered, need_boxes
from refluid.ops.registry import FLOATS, Tensor, op


@op(
    "OutputBox",
    nograd="*",
    lod="TargetBox PriorBox",
    dtypes={"PriorBox": FLOATS, "TargetBox": FLOATS},
    late="PriorBox PriorBoxVar TargetBox",
)
def box_coder(
    PriorBox: Tensor,
    PriorBoxVar: Tensor | None,
    TargetBox: Tensor,
    *,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: list[float] = [],
) -> Tensor:
    """Every target against every prior box [M, 4], or offsets decoded into boxes.

    encode_center_size: TargetBox [N, 4] gives [N, M, 4], the offset of the center in sizes of the prior box and the
    logarithm of the ratio of sizes, divided by the variances. decode_center_size undoes that for TargetBox [N, M, 4];
    `axis` is the axis of TargetBox that the prior boxes are NOT along.
    """
    need_boxes("PriorBox", PriorBox)
    encode = code_type == "encode_center_size"
    if not encode and code_type != "decode_center_size":
        raise ArgumentError(f"code_type must be encode_center_size or decode_center_size, got {code_type!r}")
    if axis not in (0, 1):
        raise ArgumentError(f"axis must be 0 or 1, got {axis}")
    need_boxes("TargetBox", TargetBox, 2 if encode else 3)
    scale = _variances(PriorBox, PriorBoxVar, variance)
    if encode:
        return _encode(TargetBox[:, None], PriorBox, scale, box_normalized)
    if TargetBox.shape[1 - axis] != len(PriorBox):
        raise ShapeError(
            f"TargetBox has {TargetBox.shape[1 - axis]} boxes along axis {1 - axis}, but PriorBox has {len(PriorBox)}"
        )
    along = 1 if axis else 0
    return _decode(TargetBox, PriorBox.unsqueeze(along), scale.unsqueeze(along) if scale.dim() > 1 else scale,
                   box_normalized)  # fmt: skip


@box_coder.infer
def box_coder_spec(inputs: list, attrs: dict) -> list:
    """Sizes that do not match are refused at run time, as in Fluid."""
    prior, _, target = inputs
    if attrs["code_type"] == "decode_center_size":
        return [(target.shape, prior.dtype)]
    return [((target.shape[0], prior.shape[0], 4), prior.dtype)]


@box_coder.lods
def box_coder_lods(ins: list, values: list, attrs: dict) -> list:
    """The LoD of the result's rows: PriorBox's if offsets are decoded along axis 1, else TargetBox's."""
    return [ins[0] if attrs["code_type"] == "decode_center_size" and attrs["axis"] == 1 else ins[2]]


def _variances(prior: Tensor, tensor: Tensor | None, numbers: list[float]) -> Tensor:
    if tensor is not None:
        if numbers:
            raise ArgumentError("PriorBoxVar and variance are both given; one is enough")
        if tensor.shape != prior.shape:
            raise ShapeError(f"PriorBoxVar has shape {list(tensor.shape)}, but PriorBox {list(prior.shape)}")
        return tensor
    if numbers and len(numbers) != 4:
        raise ArgumentError(f"variance must be 4 numbers, got {list(numbers)}")
    return torch.tensor(numbers or [1.0] * 4, dtype=prior.dtype, device=prior.device)


def _encode(target: Tensor, prior: Tensor, scale: Tensor, normalized: bool) -> Tensor:
    center, size = centered(prior, normalized)
    # Fluid: the center of a target is the mean of its corners, also for boxes in pixels.
    target_center, target_size = (target[..., :2] + target[..., 2:]) / 2, centered(target, normalized)[1]
    return torch.cat([(target_center - center) / size, (target_size / size).abs().log()], -1) / scale


def _decode(target: Tensor, prior: Tensor, scale: Tensor, normalized: bool) -> Tensor:
    center, size = centered(prior, normalized)
    deltas = target * scale
    half = (deltas[..., 2:].exp() * size) / 2
    decoded_center = deltas[..., :2] * size + center
    return torch.cat([decoded_center - half, decoded_center + half - (0 if normalized else 1)], -1)
