"""deformable_psroi_pooling: position-sensitive pooling of regions whose bins are shifted by learned offsets."""

from __future__ import annotations

import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.detection.regions import bags, check_regions, image_of_each, rounded
from refluid.ops.registry import FLOATS, LoD, Tensor, op


@op("TopCount Output", nograd="ROIs TopCount", lod=None, naming="Output TopCount",
    dtypes={"Input": FLOATS, "ROIs": FLOATS}, grad_keeps="TopCount")  # fmt: skip
def deformable_psroi_pooling(
    Input: Tensor,
    ROIs: Tensor,
    ROIs_lod: LoD | None,
    Trans: Tensor,
    *,
    no_trans: bool = False,
    spatial_scale: float = 1.0,
    output_dim: int,
    group_size: list[int],
    pooled_height: int = 1,
    pooled_width: int = 1,
    part_size: list[int],
    sample_per_part: int = 1,
    trans_std: float = 0.1,
) -> tuple[Tensor, Tensor]:
    """Output [regions, output_dim, pooled_height, pooled_width] (Dai et al., 2017): means of sample points per bin.

    Input [N, output_dim * groups, H, W] has channels for each of group_size [height, width] groups of bins. A bin is
    shifted by Trans [regions, 2 * classes (x, y), *part_size], times `trans_std` and the size of the region, unless
    `no_trans`. TopCount is the number of sample points inside the map.
    """
    check_regions(Input, ROIs, pooled_height, pooled_width)
    groups_y, groups_x = group_size
    classes = 1 if no_trans else Trans.shape[1] // 2
    _check(Input.shape, Trans.shape, output_dim, group_size, part_size, classes, no_trans)
    shape = (len(ROIs), output_dim, pooled_height, pooled_width)
    if Input.is_meta or not len(ROIs):
        return Input.new_zeros(shape), Input.new_zeros(shape)
    count, _, rows, columns = Input.shape
    image = image_of_each(ROIs, ROIs_lod, count)
    box = rounded(ROIs.to(Input.dtype))
    start, end = box[:, :2] * spatial_scale - 0.5, (box[:, 2:] + 1) * spatial_scale - 0.5
    size = (end - start).clamp_min(0.1)
    part_y = torch.arange(pooled_height, device=Input.device)
    part_x = torch.arange(pooled_width, device=Input.device)
    offsets = _offsets(Trans, part_y * part_size[0] // pooled_height, part_x * part_size[1] // pooled_width, trans_std)
    if no_trans:
        offsets = torch.zeros_like(offsets[:, :1])
    # All axes from here on: regions, classes, part's row, part's column, point's row, point's column.
    x, in_x = _points(start[:, 0], size[:, 0], part_x, pooled_width, offsets[:, :, 0], sample_per_part, columns)
    y, in_y = _points(
        start[:, 1], size[:, 1], part_y, pooled_height, offsets[:, :, 1].transpose(2, 3), sample_per_part, rows
    )
    y, in_y = y.transpose(2, 3)[..., :, None], in_y.transpose(2, 3)[..., :, None]
    x, in_x = x[..., None, :], in_x[..., None, :]
    on_map = in_x & in_y
    group = (part_y * groups_y // pooled_height)[:, None] * groups_x + part_x * groups_x // pooled_width
    number = torch.arange(classes, device=Input.device)[:, None, None]
    first = (image[:, None, None, None] * classes + number) * (groups_y * groups_x) + group
    first = (first * (rows * columns))[..., None, None]
    table = Input.reshape(count, classes, output_dim // classes, groups_y * groups_x, rows, columns)
    table = table.permute(0, 1, 3, 4, 5, 2).reshape(-1, output_dim // classes)
    point_count = on_map.sum((-2, -1)).to(Input.dtype)  # [regions, classes, h, w]
    weight = (on_map / point_count.clamp_min(1)[..., None, None]).to(Input.dtype)
    cells, weights = [], []
    for row, share_y in _neighbours(y):
        for column, share_x in _neighbours(x):
            cells.append((first + row * columns + column).flatten(-2))
            weights.append((weight * share_y * share_x).flatten(-2))
    pooled = bags(table, torch.stack(cells, -1), torch.stack(weights, -1)).reshape(*point_count.shape, -1)
    pooled = pooled.permute(0, 1, 4, 2, 3).reshape(shape)
    return point_count.repeat_interleave(output_dim // classes, 1), pooled


def _offsets(trans: Tensor, rows: Tensor, columns: Tensor, std: float) -> Tensor:
    """[regions, classes, 2 (x, y), parts high, parts wide]."""
    offsets = trans[:, :, rows[:, None], columns] * std
    return offsets.reshape(trans.shape[0], -1, 2, *offsets.shape[2:])


def _points(
    start: Tensor, size: Tensor, part: Tensor, parts: int, offset: Tensor, points: int, length: int
) -> tuple[Tensor, Tensor]:
    """The coordinates of the sample points of every bin along one axis, and whether they are inside the map.

    `offset` ends in the axis of the bins; the result has the axis of the points after it.
    """
    step = (size / parts)[:, None, None, None]
    position = start[:, None, None, None] + part * step + offset * size[:, None, None, None]
    position = position[..., None] + torch.arange(points, device=start.device) * (step / points)[..., None]
    return position.clamp(0, length - 1), (position >= -0.5) & (position <= length - 0.5)


def _neighbours(position: Tensor) -> list[tuple[Tensor, Tensor]]:
    """(index, weight) of the two cells around each coordinate, for linear interpolation."""
    low = position.detach().floor()
    return [(low.long(), 1 - (position - low)), (position.detach().ceil().long(), position - low)]


def _check(
    shape: torch.Size, trans: torch.Size, dim: int, group: list[int], part: list[int], classes: int, fixed: bool
) -> None:
    if len(group) != 2 or len(part) != 2:
        raise ArgumentError(f"group_size and part_size must be [height, width], got {list(group)} and {list(part)}")
    if shape[1] != dim * group[0] * group[1]:
        raise ShapeError(f"Input has {shape[1]} channels, but output_dim * groups is {dim} * {group[0]} * {group[1]}")
    if not fixed and (len(trans) != 4 or list(trans[2:]) != list(part) or trans[1] % 2 or dim % max(classes, 1)):
        raise ShapeError(
            f"Trans must be [regions, 2 * classes, {part[0]}, {part[1]}], and the classes divide output_dim {dim}, "
            f"got shape {list(trans)}"
        )
