"""The record of one tensor in a file, as Fluid writes it."""

from __future__ import annotations

import math
import struct
from typing import IO

import numpy as np
import torch

from refluid.core import dtypes
from refluid.core.errors import EnforceNotMet
from refluid.saving.schema import TensorDesc
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor


def write_tensor(file: IO[bytes], tensor: LoDTensor) -> None:
    """Append the record: version, LoD, version, TensorDesc, data; little endian."""
    t = tensor.value()
    array = np.ascontiguousarray(t.numpy(force=True))
    levels = [] if tensor.lod_value is None else tensor.lod_value.offsets()
    file.write(struct.pack("<IQ", 0, len(levels)))
    for level in levels:
        data = np.asarray(level, dtype="<u8").tobytes()
        file.write(struct.pack("<Q", len(data)) + data)
    desc = TensorDesc(data_type=int(dtypes.FROM_TORCH[t.dtype]), dims=list(t.shape)).SerializeToString()
    file.write(struct.pack("<Ii", 0, len(desc)) + desc)
    file.write(array.tobytes())


def read_tensor(file: IO[bytes], what: str, size: int) -> LoDTensor:
    """Read one record. `what` names file and variable for errors; `size` is the size of the file."""

    def take(count: int, part: str) -> bytes:
        if count < 0 or count > size - file.tell():
            raise EnforceNotMet(f"{what}: the file ends in the middle of {part}; it is truncated or not a tensor file")
        return file.read(count)

    version, levels = struct.unpack("<IQ", take(12, "the header"))
    if version != 0 or levels > 64:
        raise EnforceNotMet(f"{what}: not a tensor file (version {version}, {levels} LoD levels)")
    offsets = []
    for _ in range(levels):
        (length,) = struct.unpack("<Q", take(8, "the LoD"))
        offsets.append(np.frombuffer(take(length, "the LoD"), dtype="<u8").tolist() if length % 8 == 0 else [])
    version, length = struct.unpack("<Ii", take(8, "the tensor header"))
    if version != 0:
        raise EnforceNotMet(f"{what}: tensor version {version} is not known, only 0 is")
    desc = TensorDesc()
    try:
        desc.ParseFromString(take(length, "the tensor description"))
        kind = dtypes.VarType(desc.data_type)
        dtype = dtypes.numpy_dtype(kind)
    except EnforceNotMet:
        raise
    except Exception as error:
        raise EnforceNotMet(f"{what}: the tensor description cannot be read ({error})") from None
    shape = list(desc.dims)
    if any(n < 0 for n in shape):
        raise EnforceNotMet(f"{what}: the shape {shape} has a negative size")
    data = take(math.prod(shape) * dtype.itemsize, f"the data of shape {shape}")
    array = np.frombuffer(bytearray(data), dtype=dtype).reshape(shape)
    return LoDTensor.of(torch.from_numpy(array), LoD(offsets) if offsets else None)
