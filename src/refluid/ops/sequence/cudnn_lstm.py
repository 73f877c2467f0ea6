"""cudnn_lstm: several layers of long short-term memory over padded sequences, with all weights in one vector."""

from __future__ import annotations

import math
from typing import Any

import torch

from refluid.core.errors import ShapeError
from refluid.ops.aten import backward
from refluid.ops.infer import Spec
from refluid.ops.nn.dropout import masked, random_mask
from refluid.ops.registry import FLOATS, Shape, Tensor, op

LARGEST_SEED = (1 << 62) - 1


@op(
    "Out last_h last_c Draw",
    lod=None,
    dtypes={"Input": FLOATS, "InitH": FLOATS, "InitC": FLOATS, "W": FLOATS},
    nograd="Cache",
    hidden="Draw",
    random="stream",
    grad_keeps="Cache",
)
def cudnn_lstm(
    Input: Tensor,
    InitH: Tensor,
    InitC: Tensor,
    W: Tensor,
    Cache: Tensor | None = None,
    *,
    rng: torch.Generator | None,
    max_len: int = 20,
    dropout_prob: float = 0.0,
    is_bidirec: bool = False,
    input_size: int = 10,
    hidden_size: int = 100,
    num_layers: int = 1,
    is_test: bool = False,
    seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Input [length, N, input_size]; InitH, InitC [layers * directions, N, hidden_size], as last_h and last_c.

    W holds the matrices of all layers and directions (those of the input, then those of the hidden values; the gates in
    the order i, f, candidate, o), then all biases in the same order, as cuDNN packs them. Out is [length, N, directions
    * hidden_size]. In training, dropout with dropout_prob is applied between layers. Draw is the seed of its masks, for
    the gradient. Fluid has the operator for GPUs alone.
    """
    directions = 2 if is_bidirec else 1
    _check(Input, InitH, InitC, W, input_size, hidden_size, num_layers, directions)
    if Input.is_meta or is_test or dropout_prob == 0.0:
        draw = Input.new_zeros(1, dtype=torch.int64)
    else:
        draw = torch.empty(1, dtype=torch.int64, device=Input.device).random_(1, LARGEST_SEED, generator=rng)
    return *_layers(Input, InitH, InitC, W, draw, dropout_prob, hidden_size, num_layers, directions), draw


@cudnn_lstm.grad(once=True)
def cudnn_lstm_grad(
    Input: Tensor,
    InitH: Tensor,
    InitC: Tensor,
    W: Tensor,
    Out: Shape,
    Draw: Tensor,
    Out_grad: Tensor,
    last_h_grad: Tensor,
    last_c_grad: Tensor,
    *,
    dropout_prob: float,
    is_bidirec: bool,
    hidden_size: int,
    num_layers: int,
) -> tuple[Tensor | None, ...]:
    """ATen's LSTM returns no intermediate values, so it is run again, with the same dropout masks.

    Plans know by Out whose Draw it is.
    """
    x, h, c, weights = leaves = [t.detach().requires_grad_() for t in (Input, InitH, InitC, W)]
    with torch.enable_grad():
        outs = _layers(x, h, c, weights, Draw, dropout_prob, hidden_size, num_layers, 2 if is_bidirec else 1)
    return tuple(backward(outs, (Out_grad, last_h_grad, last_c_grad), leaves))


@cudnn_lstm.infer
def cudnn_lstm_shape(inputs: list, attrs: dict) -> list | None:
    """The kernel would walk the stand-in of an unknown length step by step."""
    x, first, cells, weights = inputs[:4]
    directions, hidden, layers = 2 if attrs["is_bidirec"] else 1, attrs["hidden_size"], attrs["num_layers"]
    count = weight_count(attrs["input_size"], hidden, layers, directions)
    wanted = (layers * directions, hidden)
    if len(x.shape) != 3 or x.shape[2] != attrs["input_size"] or math.prod(weights.shape) != count:
        return None
    if any(len(one.shape) != 3 or (one.shape[0], one.shape[2]) != wanted for one in (first, cells)):
        return None
    out = x._replace(shape=(*x.shape[:2], directions * hidden))
    return [out, first, cells, Spec((1,), torch.int64)]


def _layers(x: Tensor, h: Tensor, c: Tensor, weights: Tensor, draw: Tensor, dropout: float, hidden: int, layers: int,
            directions: int) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    packed = _unpack(weights, x.shape[2], hidden, layers, directions)
    rng = None
    if dropout and layers > 1 and not draw.is_meta and (seed := int(draw)):
        rng = torch.Generator(x.device).manual_seed(seed)
    last_h, last_c = [], []
    for layer in range(layers):
        here = slice(layer * directions, (layer + 1) * directions)
        if layer and rng is not None:
            x = masked(x, random_mask(x, 1.0 - dropout, rng), dropout, upscale=True)
        x, one_h, one_c = torch.lstm(x, (h[here], c[here]), packed[layer], True, 1, 0.0, False, directions == 2, False)
        last_h.append(one_h)
        last_c.append(one_c)
    return x, torch.cat(last_h), torch.cat(last_c)


def _unpack(weights: Tensor, width: int, hidden: int, layers: int, directions: int) -> list[list[Tensor]]:
    """Per layer (input matrix, hidden matrix, input bias, hidden bias) for each direction."""
    shapes: list[Any] = []
    for layer in range(layers):
        inner = width if layer == 0 else hidden * directions
        shapes += [(4 * hidden, inner), (4 * hidden, hidden)] * directions
    sizes = [rows * columns for rows, columns in shapes] + [4 * hidden] * len(shapes)
    parts = list(weights.reshape(-1).split(sizes))
    matrices = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=False)]
    biases = parts[len(shapes) :]
    by_layer = []
    for layer in range(layers):
        of_layer: list[Tensor] = []
        for direction in range(directions):
            offset = 2 * (layer * directions + direction)
            of_layer += [*matrices[offset : offset + 2], *biases[offset : offset + 2]]
        by_layer.append(of_layer)
    return by_layer


def weight_count(width: int, hidden: int, layers: int, directions: int) -> int:
    """The number of elements of W."""
    first = 4 * hidden * (width + hidden + 2)
    others = 4 * hidden * (hidden * directions + hidden + 2)
    return directions * (first + (layers - 1) * others)


def _check(x: Tensor, h: Tensor, c: Tensor, weights: Tensor, width: int, hidden: int, layers: int,
           directions: int) -> None:  # fmt: skip
    if x.dim() != 3 or x.shape[2] != width:
        raise ShapeError(f"Input must be [length, N, {width}], got {list(x.shape)}")
    wanted = [layers * directions, x.shape[1], hidden]
    if list(h.shape) != wanted or list(c.shape) != wanted:
        raise ShapeError(f"InitH and InitC must be {wanted}, got {list(h.shape)} and {list(c.shape)}")
    count = weight_count(width, hidden, layers, directions)
    if weights.numel() != count:
        raise ShapeError(f"W must have {count} elements, got {weights.numel()}")
