"""Functions that exported modules carry with them: what Fluid computes and torch has no one call for.

They are copied word for word, so they use nothing but torch, F, and each other. Sizes are asked of `shape`: `len` of a
tensor is a plain number, which torch.export would fix.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def round_half_away(x: Tensor) -> Tensor:
    """Rounded, with halves away from zero."""
    whole = torch.trunc(x)
    return whole + torch.sign(x) * ((x - whole).abs() >= 0.5)


def mish(x: Tensor, threshold: float) -> Tensor:
    """x * tanh(softplus(x)), where softplus is x above the threshold and exp(x) below its negative."""
    rising = torch.exp(x.clamp(max=threshold))
    return x * torch.tanh(torch.where(x > threshold, x, torch.where(x < -threshold, rising, torch.log1p(rising))))


def remainder(x: Tensor, y: Tensor) -> Tensor:
    """The remainder of floats has the sign of y, that of integers the sign of x."""
    return torch.remainder(x, y) if x.is_floating_point() else torch.fmod(x, y)


def cumulative_sum(x: Tensor, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    """Running sums; without the element itself if exclusive; from the end if reverse."""
    x = x.flip(axis) if reverse else x
    out = torch.cumsum(x, axis, dtype=x.dtype)
    out = out - x if exclusive else out
    return out.flip(axis) if reverse else out


def pad_same(x: Tensor, window: list[int], strides: list[int], value: float = 0.0) -> Tensor:
    """Padded so that a window with stride s gives ceil(size / s) results; the odd cell comes last."""
    pads = []
    for n, k, s in zip(reversed(x.shape[2:]), reversed(window), reversed(strides)):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        pads += [total // 2, total - total // 2]
    return F.pad(x, pads, value=value)


def average_inside(x: Tensor, pads: list[int], window: list[int], strides: list[int]) -> Tensor:
    """Average pooling of a padded image that counts the cells of the image alone."""
    pool = F.avg_pool2d if x.dim() == 4 else F.avg_pool3d
    inside = F.pad(torch.ones_like(x[:1, :1]), pads)
    return pool(F.pad(x, pads), window, strides) / pool(inside, window, strides)


def response_norm(x: Tensor, n: int, k: float, alpha: float, beta: float) -> Tensor:
    """x / (k + alpha * the sum of x ** 2 over the n channels around each) ** beta."""
    squares = F.pad(x * x, [0, 0, 0, 0, n // 2, n // 2])
    around = torch.stack([squares[:, i : i + x.shape[1]] for i in range(n)])
    return x * (k + alpha * around.sum(0)).pow(-beta)


def resample(x: Tensor, size: list[int], method: str, align_corners: bool, align_mode: int) -> Tensor:
    """An image of another size, every axis a weighted sum of a few of its cells, placed as Fluid places them."""
    for axis, new in enumerate(size, 2):
        old = x.shape[axis]
        ratio = 0.0 if new == 1 else (old - 1) / (new - 1) if align_corners else old / new
        position = torch.arange(new, dtype=torch.float32, device=x.device) * torch.tensor(ratio, dtype=torch.float32)
        if method == "nearest":
            taps = [((position + 0.5 if align_corners else position).long(), torch.ones_like(position))]
        else:
            if not align_corners and (align_mode == 0 or method == "bicubic"):
                position = position + (0.5 * ratio - 0.5)
            position = position if method == "bicubic" else position.clamp(min=0.0)
            low = position.floor()
            taps = (
                cubic_taps(position - low, low)
                if method == "bicubic"
                else [(low, 1 - position + low), (low + 1, position - low)]
            )
        shape = [1] * axis + [-1] + [1] * (x.dim() - 1 - axis)
        parts = [
            x.index_select(axis, cell.long().clamp(0, old - 1)) * weight.to(x.dtype).reshape(shape)
            for cell, weight in taps
        ]
        x = torch.stack(parts).sum(0)
    return x


def cubic_taps(t: Tensor, low: Tensor) -> list[tuple[Tensor, Tensor]]:
    """The four cells around a place, and their weights."""
    a = -0.75
    inner = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    outer = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (t + 1, 2 - t)]
    return [(low - 1, outer[0]), (low, inner[0]), (low + 1, inner[1]), (low + 2, outer[1])]


def strided_slice(x: Tensor, axes: list[int], starts: list[int], ends: list[int], strides: list[int]) -> Tensor:
    """x[.., start:end:stride, ..]; the stride may be negative."""
    for axis, start, end, stride in zip(axes, starts, ends, strides):
        places = range(x.shape[axis])[start:end:stride]
        x = x.index_select(axis, torch.tensor(places, dtype=torch.long, device=x.device))
    return x


def box(x: Tensor, offsets: list[int], shape: list[int]) -> Tensor:
    """The part of x from `offsets` on; sizes that are not positive take all that remains."""
    for axis, (start, size) in enumerate(zip(offsets, shape)):
        x = x.narrow(axis, start, size if size > 0 else x.shape[axis] - start)
    return x


def scatter_rows(x: Tensor, index: Tensor, updates: Tensor, overwrite: bool) -> Tensor:
    """x with rows replaced by updates, or by the sum of the updates that name them."""
    index = index.long()
    return x.index_copy(0, index, updates) if overwrite else x.index_fill(0, index, 0).index_add(0, index, updates)


def gather_nd(x: Tensor, index: Tensor) -> Tensor:
    """x[index[.., 0], index[.., 1], ..]."""
    if index.shape[-1] == 0:
        return x.expand(*index.shape[:-1], *x.shape)
    return x[index.long().unbind(-1)]


def cosine(x: Tensor, y: Tensor) -> Tensor:
    """The cosine of the angle between rows; a row shorter than 1e-4 counts as that long."""
    x, y = x.flatten(1), y.flatten(1)
    x_norm = torch.linalg.vector_norm(x, dim=1, keepdim=True).clamp_min(1e-4)
    y_norm = torch.linalg.vector_norm(y, dim=1, keepdim=True).clamp_min(1e-4)
    return (x * y).sum(1, keepdim=True) / x_norm / y_norm


def loss_of_class(logs: Tensor, label: Tensor, axis: int, ignored: int) -> Tensor:
    """The negative logarithm at each label, 0 where the label is `ignored`."""
    skipped = label == ignored
    found = logs.gather(axis, label.long().masked_fill(skipped, 0))
    return -found.masked_fill(skipped, 0.0)


def accuracy(places: Tensor, label: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The share of rows whose label is among the places, how many that are, and how many rows there are."""
    correct = (places == label).any(1, keepdim=True).sum(0, dtype=torch.int32)
    total = torch.full_like(correct, places.shape[0])
    return correct / total, correct, total


def array_write(array: list[Tensor], place: Tensor, value: Tensor) -> list[Tensor]:
    """The array with an element replaced, or with one more."""
    return [*array[: int(place)], value, *array[int(place) + 1 :]]


# -- sequences: rows one after the other, and how many rows belong to each ---------------------------------------------


def segments(lengths: Tensor, rows: int) -> Tensor:
    """The number of the sequence that every one of the rows belongs to."""
    numbers = torch.arange(lengths.shape[0], device=lengths.device)
    return torch.repeat_interleave(numbers, lengths, output_size=rows)


def beginnings(lengths: Tensor) -> Tensor:
    """The number of the first row of every sequence."""
    return torch.cumsum(lengths, 0) - lengths


def sequence_pool(x: Tensor, lengths: Tensor, kind: str, pad: float = 0.0) -> Tensor:
    """Every sequence as one row: its sum, average, sqrt (sum / sqrt(length)), max, first or last; `pad` if empty."""
    column = [-1] + [1] * (x.dim() - 1)
    if kind in ("first", "last"):
        rows = beginnings(lengths) if kind == "first" else torch.cumsum(lengths, 0) - 1
        x = torch.cat([x, x.new_zeros([1] + list(x.shape)[1:])])  # a row to take even if all sequences are empty
        out = x[rows.clamp(min=0)]
    else:
        places = segments(lengths, x.shape[0]).reshape(column).expand_as(x)
        zeros = x.new_zeros([lengths.shape[0]] + list(x.shape)[1:])
        reduce = "amax" if kind == "max" else "sum"
        out = zeros.scatter_reduce(0, places, x, reduce, include_self=kind != "max")
        if kind in ("average", "sqrt"):
            count = lengths.clamp(min=1).to(x.dtype).reshape(column)
            out = out / (count.sqrt() if kind == "sqrt" else count)
    return out.masked_fill((lengths == 0).reshape(column), pad)


def sequence_windows(x: Tensor, lengths: Tensor, start: int, length: int, pad: float = 0.0) -> Tensor:
    """[rows, width] -> [rows, length * width]: the rows around every row, `pad` where they leave the sequence."""
    ids = segments(lengths, x.shape[0])
    first = beginnings(lengths)[ids].unsqueeze(1)
    here = torch.arange(x.shape[0], device=x.device).unsqueeze(1)
    rows = here + torch.arange(start, start + length, device=x.device)
    inside = (rows >= first) & (rows < first + lengths[ids].unsqueeze(1))
    around = x[torch.where(inside, rows, here)].masked_fill(~inside.unsqueeze(2), pad)
    return around.reshape(x.shape[0], length * x.shape[1])


def sequence_softmax(x: Tensor, lengths: Tensor) -> Tensor:
    """Softmax over the rows of every sequence."""
    ids, flat = segments(lengths, x.shape[0]), x.reshape(-1)
    highest = flat.new_zeros(lengths.shape[0]).scatter_reduce(0, ids, flat, "amax", include_self=False)
    powers = torch.exp(flat - highest[ids])
    return (powers / flat.new_zeros(lengths.shape[0]).index_add(0, ids, powers)[ids]).reshape(x.shape)


def sequence_reverse(x: Tensor, lengths: Tensor) -> Tensor:
    """The rows of every sequence from the last to the first."""
    mirrored = (2 * beginnings(lengths) + lengths - 1)[segments(lengths, x.shape[0])]
    return x[mirrored - torch.arange(x.shape[0], device=x.device)]


def sequence_repeat(x: Tensor, lengths: Tensor, times: Tensor) -> Tensor:
    """Every sequence as often as `times` says, one after the other."""
    sources = torch.arange(lengths.shape[0], device=x.device).repeat_interleave(times)
    repeated = lengths[sources]
    ids = torch.arange(repeated.shape[0], device=x.device).repeat_interleave(repeated)
    offsets = torch.arange(ids.shape[0], device=x.device) - beginnings(repeated)[ids]
    return x[beginnings(lengths)[sources][ids] + offsets]


def sequence_concat(xs: list[Tensor], lengths: list[Tensor]) -> Tensor:
    """Sequence i is sequence i of every x, one after the other."""
    ids = torch.cat([segments(one, x.shape[0]) for x, one in zip(xs, lengths)])
    return torch.cat(xs)[ids.argsort(stable=True)]


def sequence_pad(x: Tensor, lengths: Tensor, value: Tensor, length: int) -> Tensor:
    """Sequences as rows of one length (-1: that of the longest), filled up with `value`."""
    size = int(lengths.max()) if length == -1 else length
    out = value.to(x.dtype).expand([lengths.shape[0], size] + list(x.shape)[1:]).clone()
    ids = segments(lengths, x.shape[0])
    out[ids, torch.arange(x.shape[0], device=x.device) - beginnings(lengths)[ids]] = x
    return out


def sequence_unpad(x: Tensor, lengths: Tensor) -> Tensor:
    """The first `lengths` rows of every sequence, one after the other."""
    rows = x[torch.arange(x.shape[1], device=x.device) < lengths.unsqueeze(1)]
    return rows if x.dim() > 2 else rows.unsqueeze(1)


def sequence_mask(lengths: Tensor, size: int, dtype: torch.dtype) -> Tensor:
    """1 where the place is inside a sequence, else 0; `size` -1 goes as far as the longest."""
    size = (int(lengths.max()) if lengths.numel() else 0) if size < 0 else size
    return (torch.arange(size, device=lengths.device) < lengths.unsqueeze(-1)).to(dtype)


# -- recurrent units: the inputs are projected already, so that only the recurrence is left --------------------------


def step_rows(lengths: Tensor, step: int, reverse: bool) -> tuple[Tensor, Tensor]:
    """The sequences that are longer than `step`, and the row of each that is its turn."""
    going = torch.nonzero(lengths > step).squeeze(1)
    first = beginnings(lengths)[going]
    return going, first + (lengths[going] - 1 - step if reverse else step)


def lstm(
    x: Tensor,
    lengths: Tensor,
    weight: Tensor,
    bias: Tensor,
    gate: Callable,
    candidate: Callable,
    output: Callable,
    *,
    peepholes: bool,
    reverse: bool,
    h0: Tensor | None = None,
    c0: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Hidden values and cells of every row. x, weight and bias hold the parts of the candidate, i, f and o."""
    size, bias = weight.shape[0], bias.reshape(-1)
    x, sees = x + bias[: 4 * size], bias[4 * size :].split(size)
    hidden = x.new_zeros(lengths.shape[0], size) if h0 is None else h0.clone()
    cell = x.new_zeros(lengths.shape[0], size) if c0 is None else c0.clone()
    hiddens, cells = x.new_empty(x.shape[0], size), x.new_empty(x.shape[0], size)
    for step in range(int(lengths.max())):
        going, rows = step_rows(lengths, step, reverse)
        old = cell[going]
        c, i, f, o = (x[rows] + hidden[going] @ weight).split(size, 1)
        if peepholes:
            i, f = i + old * sees[0], f + old * sees[1]
        new = candidate(c) * gate(i) + old * gate(f)
        o = gate(o + new * sees[2]) if peepholes else gate(o)
        cells[rows] = cell[going] = new
        hiddens[rows] = hidden[going] = o * output(new)
    return hiddens, cells


def lstm_step(x: Tensor, cell: Tensor, forget_bias: float) -> tuple[Tensor, Tensor]:
    """One step of a unit whose inputs hold the parts i, f, o and the candidate: the new cell and the output."""
    i, f, o, j = x.split(cell.shape[1], 1)
    cell = torch.sigmoid(f + forget_bias) * cell + torch.sigmoid(i) * torch.tanh(j)
    return cell, torch.tanh(cell) * torch.sigmoid(o)


def gru_step(x: Tensor, hidden: Tensor, weight: Tensor, gate: Callable, candidate: Callable, origin: bool) -> Tensor:
    """The next hidden value. x holds the parts of u, r and the candidate; weight [D, 2D] for u and r, then [D, D]."""
    size, flat = weight.shape[0], weight.reshape(-1)
    of_gates, of_candidate = flat[: 2 * size * size].reshape(size, -1), flat[2 * size * size :].reshape(size, size)
    u, r = gate(x[:, : 2 * size] + hidden @ of_gates).split(size, 1)
    new = candidate(x[:, 2 * size :] + (r * hidden) @ of_candidate)
    return new + u * (hidden - new) if origin else hidden + u * (new - hidden)


def gru(
    x: Tensor,
    lengths: Tensor,
    weight: Tensor,
    gate: Callable,
    candidate: Callable,
    origin: bool,
    *,
    reverse: bool,
    h0: Tensor | None = None,
) -> Tensor:
    """The hidden values of every row."""
    size = weight.shape[0]
    hidden = x.new_zeros(lengths.shape[0], size) if h0 is None else h0.clone()
    hiddens = x.new_empty(x.shape[0], size)
    for step in range(int(lengths.max())):
        going, rows = step_rows(lengths, step, reverse)
        hiddens[rows] = hidden[going] = gru_step(x[rows], hidden[going], weight, gate, candidate, origin)
    return hiddens
