"""pyramid_hash: embeddings of all n-grams of a sequence, from pieces of one long vector, chosen by hashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ops.infer import Spec
from refluid.ops.registry import LoD, Tensor, op
from refluid.ops.sequence.hashing import in_bloom_filter, xxh32
from refluid.ops.sequence.segments import need_lod


@op("Out DropPos X_Temp_Out", intermediate="X_Temp_Out", tells_lod=True, nograd="W WhiteList BlackList DropPos",
    extra_attrs={"distribute_update_vars": "STRING", "lr": "FLOAT"}, grad_hints="distribute_update_vars")  # fmt: skip
def pyramid_hash(
    X: Tensor,
    X_lod: LoD | None,
    W: Tensor,
    WhiteList: Tensor | None = None,
    BlackList: Tensor | None = None,
    *,
    num_emb: int = 0,
    space_len: int = 0,
    pyramid_layer: int = 2,
    rand_len: int = 0,
    drop_out_percent: float = 0.0,
    is_training: int = 0,
    use_filter: bool = True,
    white_list_len: int = 0,
    black_list_len: int = 0,
    seed: int = 0,
    lr: float = 0.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Out has a row [num_emb] for each n-gram of the ids X [total length, 1] with 2 to pyramid_layer words.

    A row is made of pieces of rand_len elements; piece j starts in W [space_len + rand_len, 1] at XXH32 with seed j *
    rand_len. N-grams that are not in the Bloom filter WhiteList or are in BlackList are left out, and in training a
    fraction drop_out_percent; testing multiplies by it instead. A sequence without any gives zeros. DropPos is 1 for
    those kept, X_Temp_Out is X as numbers. The gradient trains W itself, with the learning rate lr.
    """
    _check(X.shape, W.shape, num_emb, space_len, rand_len, pyramid_layer)
    lod = need_lod(X_lod, X.shape[0], levels=1)
    numbers = X.reshape(-1).float()
    words = numbers.cpu().numpy()
    filters = [
        (table.detach().cpu().numpy(), name, wanted)
        for table, name, wanted, length in (
            (WhiteList, "WhiteList", True, white_list_len), (BlackList, "BlackList", False, black_list_len),
        )
        if use_filter and length and table is not None
    ]  # fmt: skip
    draw = _draws(seed)
    kept, starts, lengths = [], [], []
    for begin, end in zip(lod.levels[0][:-1], lod.levels[0][1:], strict=True):
        of_sequence = []
        for grams in _grams(words[begin:end], pyramid_layer):
            used = np.ones(len(grams), bool)
            for table, name, wanted in filters:
                used &= in_bloom_filter(table, grams, name) == wanted
            if is_training:
                used[used] = [next(draw) >= drop_out_percent for _ in range(int(used.sum()))]
            kept.append(used)
            of_sequence.append(_starts(grams[used], num_emb, rand_len, space_len))
        rows = np.concatenate(of_sequence) if of_sequence else np.zeros((0, num_emb // rand_len), np.int64)
        lengths.append(len(rows))
        starts.append(rows if len(rows) else np.full((1, num_emb // rand_len), -1))
    places = torch.from_numpy(np.concatenate(starts)).to(W.device)
    out = _pieces(W, places, rand_len)
    if not is_training and W.is_floating_point():
        out = out * drop_out_percent
    flags = X.new_zeros(X.shape[0] * pyramid_layer, 1, dtype=torch.int32)
    if kept:
        told = torch.from_numpy(np.concatenate(kept)).to(flags)
        flags[: len(told), 0] = told
    out.lod = LoD.from_lengths([[max(n, 1) for n in lengths]])  # type: ignore[attr-defined]
    flags.lod = LoD.from_lengths([lengths]) if sum(lengths) == len(flags) else None  # type: ignore[attr-defined]
    return out, flags, numbers.reshape(X.shape)


@pyramid_hash.grad(outputs="X", once=True, side_effect=True)
def pyramid_hash_grad(
    X: Tensor,
    X_lod: LoD | None,
    W: Tensor,
    DropPos: Tensor,
    Out_grad: Tensor,
    *,
    num_emb: int,
    space_len: int,
    pyramid_layer: int,
    rand_len: int,
    lr: float,
) -> Tensor:
    """Fluid: no gradient of X, which is zeros here; W is updated by -lr times its gradient."""
    lod = need_lod(X_lod, X.shape[0], levels=1)
    words, flags = X.reshape(-1).float().cpu().numpy(), DropPos.reshape(-1).cpu().numpy() != 0
    row, seen = 0, 0
    for begin, end in zip(lod.levels[0][:-1], lod.levels[0][1:], strict=True):
        starts = []
        for grams in _grams(words[begin:end], pyramid_layer):
            starts.append(_starts(grams[flags[seen : seen + len(grams)]], num_emb, rand_len, space_len))
            seen += len(grams)
        piece_starts = np.concatenate(starts) if starts else np.zeros((0, 1), np.int64)
        count = len(piece_starts)
        if count:
            index = torch.from_numpy(piece_starts).to(W.device).reshape(-1, 1) + torch.arange(rand_len, device=W.device)
            W.view(-1).index_add_(0, index.reshape(-1), Out_grad[row : row + count].reshape(-1).to(W.dtype), alpha=-lr)
        row += max(count, 1)
    return torch.zeros_like(X)


@pyramid_hash.infer
def pyramid_hash_shape(inputs: list[Any], attrs: dict[str, Any]) -> list[Spec]:
    x, w = inputs[:2]
    sizes = (attrs["num_emb"], attrs["space_len"], attrs["rand_len"], attrs["pyramid_layer"])
    _check(x.shape, w.shape, *sizes)
    kept = Spec((-1, 1), torch.int32, 1)
    return [Spec((-1, attrs["num_emb"]), w.dtype, 1), kept, Spec(x.shape, torch.float32, 0)]


def _grams(words: np.ndarray, longest: int) -> list[np.ndarray]:
    """The n-grams of a sequence as rows of uint32 words, for n from 2 to `longest`."""
    sizes = range(2, min(longest, len(words)) + 1)
    return [np.lib.stride_tricks.sliding_window_view(words.view(np.uint32), size) for size in sizes]


def _starts(grams: np.ndarray, width: int, piece: int, space: int) -> np.ndarray:
    """The starts of each row's pieces in the table, int64 [n-grams, pieces]."""
    found = [xxh32(grams, seed) % np.uint32(space) for seed in range(0, width, piece)]
    return np.stack(found, 1).astype(np.int64)


def _pieces(w: Tensor, starts: Tensor, length: int) -> Tensor:
    index = starts.clamp_min(0).unsqueeze(2) + torch.arange(length, device=w.device)
    found = w.reshape(-1)[index]
    return found.masked_fill((starts < 0).unsqueeze(2), 0).flatten(1)


def _draws(seed: int) -> Any:
    """Numbers from 0 to 1 as POSIX's rand_r of the C library gives them, which Fluid drops by."""
    state = seed & 0xFFFFFFFF

    def step() -> int:
        nonlocal state
        state = (state * 1103515245 + 12345) & 0xFFFFFFFF
        return state >> 16

    while True:
        value = step() % 2048
        for _ in range(2):
            value = value << 10 ^ step() % 1024
        yield value / 0x7FFFFFFF


def _check(x: Sequence[int], w: Sequence[int], width: int, space: int, piece: int, layers: int) -> None:
    if len(x) != 2 or tuple(w) != (space + piece, 1):
        raise ShapeError(
            f"X must be [total length, 1] and W [space_len + rand_len, 1] = [{space + piece}, 1], "
            f"got {list(x)} and {list(w)}"
        )
    if piece < 1 or width % piece:
        raise ArgumentError(f"num_emb must be a multiple of rand_len, got {width} and {piece}")
    if layers < 2:
        raise ArgumentError(f"pyramid_layer must be at least 2, got {layers}")
