"""yolov3_loss: the loss of a YOLO head."""

from __future__ import annotations

from typing import NamedTuple

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.detection.yolo_box import check_head, grid
from refluid.ops.registry import FLOATS, INDICES, Tensor, op

_SURE = 1e-5  # Fluid: a weight above this is one of an object
_EPS = 1e-6  # Fluid: boxes thinner than this are no boxes, scores below it none


@op("Loss ObjectnessMask GTMatchMask", intermediate="ObjectnessMask GTMatchMask", lod=None,
    nograd="GTBox GTLabel GTScore", dtypes={"X": FLOATS, "GTLabel": INDICES}, late="GTLabel X")  # fmt: skip
def yolov3_loss(
    X: Tensor,
    GTBox: Tensor,
    GTLabel: Tensor,
    GTScore: Tensor | None = None,
    *,
    anchors: list[int] = [],
    anchor_mask: list[int] = [],
    class_num: int,
    ignore_thresh: float = 0.7,
    downsample_ratio: int = 32,
    use_label_smooth: bool = True,
    scale_x_y: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Loss [N] of X [N, anchors used * (5 + class_num), H, W] (Redmon and Farhadi, 2018).

    GTBox [N, B, 4] is (center x, center y, width, height) as fractions of the image, GTLabel [N, B]; boxes of size 0
    are padding. `anchor_mask` says which anchors this map is responsible for. GTScore [N, B] weighs the boxes (mixup).
    ObjectnessMask [N, used, H, W] is the weight of a cell with an object, 0 without, -1 if it is ignored; GTMatchMask
    [N, B] which of the used anchors a box belongs to, -1 for none.
    """
    _check(X, GTBox, GTLabel, GTScore, anchors, anchor_mask, class_num)
    count, _, rows, columns = X.shape
    used, n = len(anchor_mask), GTBox.shape[1]
    if X.is_meta:
        match = torch.empty(count, n, dtype=torch.int32, device=X.device)
        return X.new_empty(count), X.new_empty(count, used, rows, columns), match
    x = X.reshape(count, used, 5 + class_num, rows, columns)
    sizes = X.new_tensor(anchors).reshape(-1, 2)
    input_size = downsample_ratio * rows
    with torch.no_grad():
        valid = (GTBox[..., 2:] > _EPS).all(-1)
        boxes = _predicted(x, sizes[list(anchor_mask)], input_size, scale_x_y)
        overlap = _overlaps(boxes.reshape(count, -1, 1, 4), GTBox[:, None])  # [N, cells, B]
        overlap = torch.where(valid[:, None], overlap, 0).amax(2) if n else X.new_zeros(boxes.shape[:-1]).flatten(1)
        objectness = torch.where(overlap > ignore_thresh, -1.0, 0.0).to(X.dtype).reshape(count, used, rows, columns)
        anchor = _best_anchor(GTBox, sizes / input_size)  # [N, B]
        used_index = torch.full((len(sizes),), -1, dtype=torch.int64, device=X.device)
        used_index[list(anchor_mask)] = torch.arange(used, device=X.device)
        match = torch.where(valid, used_index[anchor], -1)
        matched = _matched(GTBox, GTLabel, GTScore, match, sizes[list(anchor_mask)] / downsample_ratio, rows)
        for *cell, score in zip(
            *(part.tolist() for part in (matched.image, matched.anchor, matched.row, matched.column)), matched.score
        ):
            objectness[tuple(cell)] = score  # in order: where two boxes share a cell, the last one counts
    loss = _objectness_loss(x[:, :, 4], objectness)
    if len(matched.image):
        predicted = x[matched.image, matched.anchor, :, matched.row, matched.column]  # [matched, 5 + classes]
        box_loss = _cross_entropy(predicted[:, :2], matched.spot).sum(1) + (
            predicted[:, 2:4] - matched.log_size
        ).abs().sum(1)
        class_loss = _cross_entropy(predicted[:, 5:], _labels(matched.label, class_num, use_label_smooth, X)).sum(1)
        loss = loss.index_add(0, matched.image, box_loss * matched.scale + class_loss * matched.score)
    return loss, objectness, match.int()


@yolov3_loss.grad
def yolov3_loss_grad(
    X: Tensor,
    GTBox: Tensor,
    GTLabel: Tensor,
    GTScore: Tensor | None,
    ObjectnessMask: Tensor,
    GTMatchMask: Tensor,
    Loss_grad: Tensor,
    *,
    anchors: list[int],
    anchor_mask: list[int],
    class_num: int,
    downsample_ratio: int,
    use_label_smooth: bool,
) -> Tensor:
    count, _, rows, columns = X.shape
    x = X.reshape(count, len(anchor_mask), 5 + class_num, rows, columns)
    probability = x[:, :, 4].sigmoid()
    has_object, is_background = ObjectnessMask > _SURE, ObjectnessMask > -0.5
    objectness = torch.where(has_object, (probability - 1) * ObjectnessMask, torch.where(is_background, probability, 0))
    grad = torch.zeros_like(x)
    grad[:, :, 4] = objectness
    sizes = X.new_tensor(anchors).reshape(-1, 2)[list(anchor_mask)] / downsample_ratio
    matched = _matched(GTBox, GTLabel, GTScore, GTMatchMask.long(), sizes, rows)
    if len(matched.image):
        cells = (matched.image, matched.anchor, slice(None), matched.row, matched.column)
        predicted = x[cells]
        box_grad = torch.cat(
            [predicted[:, :2].sigmoid() - matched.spot, (predicted[:, 2:4] - matched.log_size).sign()], 1
        )
        class_grad = predicted[:, 5:].sigmoid() - _labels(matched.label, class_num, use_label_smooth, X)
        parts = [
            box_grad * matched.scale[:, None],
            torch.zeros_like(predicted[:, :1]),
            class_grad * matched.score[:, None],
        ]
        numbers = torch.arange(5 + class_num, device=X.device)
        index = (
            matched.image[:, None],
            matched.anchor[:, None],
            numbers,
            matched.row[:, None],
            matched.column[:, None],
        )
        grad = grad.index_put(index, torch.cat(parts, 1), accumulate=True)
    return (grad * Loss_grad.reshape(-1, 1, 1, 1, 1)).reshape(X.shape)


class _Matched(NamedTuple):
    """The ground-truth boxes that this map is responsible for; every field has one row for each."""

    image: Tensor
    anchor: Tensor  # which of those used
    row: Tensor
    column: Tensor
    score: Tensor
    scale: Tensor  # weight of the box loss: small boxes count more
    spot: Tensor  # [.., 2] the center relative to its cell
    log_size: Tensor  # [.., 2] against the anchor
    label: Tensor


def _matched(boxes: Tensor, labels: Tensor, scores: Tensor | None, match: Tensor, sizes: Tensor, rows: int) -> _Matched:
    """`sizes` are those of the anchors used, in cells of the map."""
    image, box = torch.nonzero(match >= 0, as_tuple=True)
    anchor, target = match[image, box], boxes[image, box]
    # Fluid: cells are counted by rows in both directions, also on a map that is not square.
    center = target[:, :2] * rows
    cell = center.long().clamp(0, rows - 1)
    score = torch.ones_like(target[:, 0]) if scores is None else scores[image, box].to(target.dtype)
    return _Matched(
        image, anchor, cell[:, 1], cell[:, 0], score, (2 - target[:, 2] * target[:, 3]) * score, center - cell,
        (target[:, 2:] * rows / sizes[anchor]).log(), labels[image, box],
    )  # fmt: skip


def _cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")


def _objectness_loss(logits: Tensor, objectness: Tensor) -> Tensor:
    positive = objectness > _SURE
    object_loss = _cross_entropy(logits, torch.ones_like(logits)) * objectness
    background_loss = _cross_entropy(logits, torch.zeros_like(logits))
    losses = torch.where(positive, object_loss, torch.where(objectness > -0.5, background_loss, 0))
    return losses.flatten(1).sum(1)


def _predicted(x: Tensor, sizes: Tensor, input_size: int, scale: float) -> Tensor:
    """The predicted boxes, (center, size) as fractions of the image: [N, used, H, W, 4]."""
    rows, columns = x.shape[-2:]
    center = (grid(rows, columns, x) + x[:, :, :2].sigmoid() * scale - 0.5 * (scale - 1)) / rows
    size = x[:, :, 2:4].exp() * sizes.reshape(1, -1, 2, 1, 1) / input_size
    return torch.cat([center, size], 2).permute(0, 1, 3, 4, 2)


def _overlaps(first: Tensor, second: Tensor) -> Tensor:
    """Intersection over union of boxes (center, size), broadcast against one another."""
    low = torch.maximum(first[..., :2] - first[..., 2:] / 2, second[..., :2] - second[..., 2:] / 2)
    high = torch.minimum(first[..., :2] + first[..., 2:] / 2, second[..., :2] + second[..., 2:] / 2)
    shared = torch.where((high < low).any(-1), 0, (high - low).prod(-1))
    return shared / (first[..., 2:].prod(-1) + second[..., 2:].prod(-1) - shared)


def _best_anchor(boxes: Tensor, sizes: Tensor) -> Tensor:
    """The anchor whose size is most like the box's: [N, B]."""
    at = torch.zeros_like(boxes[..., :2])
    pairs = _overlaps(
        torch.cat([at, boxes[..., 2:]], -1)[..., None, :], torch.cat([torch.zeros_like(sizes), sizes], -1)
    )
    return pairs.argmax(-1)


def _labels(label: Tensor, classes: int, smooth: bool, like: Tensor) -> Tensor:
    """[matched, classes]: 1 for the class and 0 for others, both smoothed if `smooth`.

    A label that is no class, as of padding, is 0 for all.
    """
    delta = min(1.0 / classes, 1.0 / 40) if smooth else 0.0
    is_class = label[:, None] == torch.arange(classes, device=label.device)
    return torch.where(is_class, 1.0 - delta, delta).to(like.dtype)


def _check(
    x: Tensor, box: Tensor, label: Tensor, score: Tensor | None, anchors: list[int], mask: list[int], classes: int
) -> None:
    check_head(x.shape, anchors, classes, len(mask))
    if not mask or not all(0 <= i < len(anchors) // 2 for i in mask):
        raise ArgumentError(f"anchor_mask must be numbers of the {len(anchors) // 2} anchors, got {list(mask)}")
    if x.shape[2] != x.shape[3]:
        raise ShapeError(f"X must be a square map [N, C, H, H], got shape {list(x.shape)}")
    if box.dim() != 3 or box.shape[2] != 4 or box.shape[0] != x.shape[0]:
        raise ShapeError(f"GTBox must be [{x.shape[0]}, boxes, 4], got shape {list(box.shape)}")
    for what, value in (("GTLabel", label), ("GTScore", score)):
        if value is not None and value.shape != box.shape[:2]:
            raise ShapeError(f"{what} must be {list(box.shape[:2])} as GTBox, got shape {list(value.shape)}")
