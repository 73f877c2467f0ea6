"""generate_mask_labels: mask targets for the regions with objects."""

from __future__ import annotations

import numpy as np
import torch

from refluid.core.errors import ShapeError
from refluid.ops.detection.boxes import check_classes, overlaps, with_lod
from refluid.ops.detection.masks import mask_in_box
from refluid.ops.detection.sampling import split_by_image
from refluid.ops.infer import Spec
from refluid.ops.registry import FLOATS, INDICES, LoD, Tensor, op


@op("MaskRois RoiHasMaskInt32 MaskInt32", nograd="*", lod=None, tells_lod=True,
    dtypes={"GtClasses": INDICES, "IsCrowd": INDICES, "Rois": FLOATS, "LabelsInt32": INDICES},
    late="GtClasses IsCrowd LabelsInt32 Rois")  # fmt: skip
def generate_mask_labels(
    ImInfo: Tensor,
    GtClasses: Tensor,
    GtClasses_lod: LoD | None,
    IsCrowd: Tensor,
    IsCrowd_lod: LoD | None,
    GtSegms: Tensor,
    GtSegms_lod: LoD | None,
    Rois: Tensor,
    Rois_lod: LoD | None,
    LabelsInt32: Tensor,
    LabelsInt32_lod: LoD | None,
    *,
    num_classes: int,
    resolution: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Of the regions with a class, MaskInt32 [k, num_classes * resolution**2] has the mask of its object.

    It is -1 outside the columns of the class. GtSegms [points, 2] are corners of polygons, with a LoD of images,
    objects and polygons. RoiHasMaskInt32 [k, 1] says which of the image's Rois they are. An image without any has one
    region of the background, with nothing but -1.
    """
    if GtSegms_lod is None or len(GtSegms_lod) != 3:
        raise ShapeError("GtSegms must have a LoD of three levels: images, objects, polygons")
    parts = split_by_image(
        len(ImInfo), GtClasses=(GtClasses, GtClasses_lod), IsCrowd=(IsCrowd, IsCrowd_lod), Rois=(Rois, Rois_lod),
        LabelsInt32=(LabelsInt32, LabelsInt32_lod),
    )  # fmt: skip
    check_classes("LabelsInt32", LabelsInt32.reshape(-1), num_classes)
    objects = _objects(GtSegms, GtSegms_lod)
    by_image = [
        _of_image(float(info[2]), classes, crowd, polygons, rois, labels.reshape(-1), num_classes, resolution)
        for info, classes, crowd, rois, labels, polygons in zip(ImInfo, *parts, objects)
    ]
    lengths = [len(one[0]) for one in by_image]
    rois, which, masks = (with_lod(torch.cat(part), lengths) for part in zip(*by_image))
    return rois, which, masks


def _objects(points: Tensor, lod: LoD) -> list[list[list[np.ndarray]]]:
    """The corners of every polygon, by image and object."""
    corners = points.double().cpu().numpy()
    polygons = [corners[start:end] for start, end in lod.spans(2)]
    each = [polygons[start:end] for start, end in lod.spans(1)]
    return [each[start:end] for start, end in lod.spans(0)]


def _of_image(
    scale: float, classes: Tensor, crowd: Tensor, polygons: list[list[np.ndarray]], rois: Tensor, labels: Tensor,
    num_classes: int, resolution: int,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    real = torch.nonzero((classes.reshape(-1) > 0) & (crowd.reshape(-1) == 0)).squeeze(1).tolist()
    shown = torch.nonzero(labels > 0).squeeze(1)
    place = resolution * resolution
    if not len(shown) or not real:
        first = torch.nonzero(labels == 0).squeeze(1)[:1]
        return rois[first], first.int()[:, None], torch.full((len(first), num_classes * place), -1, dtype=torch.int32)
    boxes = rois[shown] / scale
    around = [np.concatenate(polygons[i]) for i in real]
    extents = boxes.new_tensor(np.stack([np.concatenate([one.min(0), one.max(0)]) for one in around]))
    nearest = overlaps(boxes, extents, normalized=False).argmax(1).tolist()
    masks = torch.full((len(shown), num_classes, place), -1, dtype=torch.int32)
    for i, (box, nearest_object, label) in enumerate(
        zip(boxes.double().cpu().numpy(), nearest, labels[shown].tolist())
    ):
        masks[i, label] = torch.from_numpy(
            mask_in_box(polygons[real[nearest_object]], box, resolution).reshape(-1)
        ).int()
    return boxes * scale, shown.int()[:, None], masks.flatten(1).to(rois.device)


@generate_mask_labels.infer
def generate_mask_labels_shape(inputs: list, attrs: dict) -> list:
    width = attrs["num_classes"] * attrs["resolution"] ** 2
    return [Spec((-1, 4), inputs[4].dtype, 1), Spec((-1, 1), torch.int32, 1), Spec((-1, width), torch.int32, 1)]
