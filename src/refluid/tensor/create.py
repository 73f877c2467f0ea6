"""create_lod_tensor and create_random_int_lodtensor: LoDTensors from data and sequence lengths."""

from __future__ import annotations

import numpy as np
import torch

from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, ShapeError
from refluid.core.places import Place
from refluid.tensor.lod_tensor import LoDTensor


def create_lod_tensor(data: object, recursive_seq_lens: list[list[int]], place: Place) -> LoDTensor:
    """A LoDTensor from data and the lengths of its sequences.

    Args:
        data: a numpy array or LoDTensor of shape [total length, ...], or a list of sequences; the elements of listed
            sequences become rows with a last axis of size 1.
        recursive_seq_lens: the lengths of the sequences, one list per level; one level for a list.
        place: the place of the tensor.

    Returns:
        A LoDTensor.

    Example:
        >>> create_lod_tensor([[1, 2, 3], [4, 5]], [[3, 2]], fluid.CPUPlace()).shape()
        [5, 1]
    """
    if isinstance(data, list):
        data = _joined(data, recursive_seq_lens)
    elif not isinstance(data, (np.ndarray, LoDTensor)):
        raise DtypeError(
            f"create_lod_tensor: data must be a LoDTensor, a numpy array or a list, got {type(data).__name__}"
        )
    tensor = LoDTensor()
    tensor.set(data.value() if isinstance(data, LoDTensor) else data, place)
    try:
        tensor.set_recursive_sequence_lengths(recursive_seq_lens)
    except EnforceNotMet as error:
        error.within("create_lod_tensor", [])
        raise
    return tensor


def from_dlpack(capsule: object) -> LoDTensor:
    """A LoDTensor over the memory of a DLPack capsule, as other libraries give it."""
    return LoDTensor.of(torch.from_dlpack(capsule))


def create_random_int_lodtensor(
    recursive_seq_lens: list[list[int]], base_shape: list[int], place: Place, low: int, high: int
) -> LoDTensor:
    """An int64 LoDTensor of random numbers from low to high, both included, drawn from numpy's global generator.

    Args:
        recursive_seq_lens: the lengths of the sequences, one list per level.
        base_shape: the shape of one row.
        place: the place of the tensor.
        low: the least number.
        high: the greatest number.

    Returns:
        A LoDTensor of shape [total length, *base_shape].

    Example:
        >>> words = fluid.create_random_int_lodtensor([[2, 3]], base_shape=[1], place=fluid.CPUPlace(), low=0, high=9)
        >>> words.shape(), words.recursive_sequence_lengths()
        ([5, 1], [[2, 3]])
    """
    if not isinstance(base_shape, list):
        raise ArgumentError(f"create_random_int_lodtensor: base_shape must be a list, got {base_shape!r}")
    if low > high:
        raise ArgumentError(f"create_random_int_lodtensor: low must not be above high, got low={low}, high={high}")
    shape = [sum(recursive_seq_lens[-1]), *base_shape]
    data = np.random.randint(low, high + 1, shape, dtype="int64")
    return create_lod_tensor(data, recursive_seq_lens, place)


def _joined(sequences: list, recursive_seq_lens: list[list[int]]) -> np.ndarray:
    """The elements of all sequences below each other, with an axis of size 1 at the end."""
    if not all(hasattr(sequence, "__len__") for sequence in sequences):
        raise ShapeError(f"create_lod_tensor: a list must hold sequences, got {sequences!r}")
    lengths = [len(sequence) for sequence in sequences]
    if [lengths] != [list(level) for level in recursive_seq_lens]:
        raise ShapeError(
            f"create_lod_tensor: the sequences have the lengths {[lengths]}, recursive_seq_lens says "
            f"{recursive_seq_lens}"
        )
    joined = np.concatenate(sequences, axis=0)
    return joined.reshape(*joined.shape, 1)
