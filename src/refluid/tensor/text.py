"""How tensors print: in Fluid's format, which programs parse."""

from __future__ import annotations

import torch

from refluid.tensor.lod import LoD

# The element types as C++ names them.
_CPP_NAME = {
    torch.float16: "::paddle::platform::float16",
    torch.float32: "float",
    torch.float64: "double",
    torch.int8: "int8_t",
    torch.int16: "int16_t",
    torch.int32: "int",
    torch.int64: "int64_t",
    torch.uint8: "uint8_t",
    torch.bool: "bool",
}


def tensor_text(t: torch.Tensor, lod: LoD | None) -> str:
    """The LoD, the shape, the type and every element, numbers with six digits."""
    levels = "".join("{" + ", ".join(map(str, level)) + "}" for level in (lod.levels if lod is not None else ()))
    kind = _CPP_NAME.get(t.dtype, str(t.dtype).removeprefix("torch."))
    rows = [f"lod: {{{levels}}}", f"dim: {', '.join(map(str, t.shape))}", "layout: NCHW", f"dtype: {kind}"]
    rows.append(f"data: [{' '.join(f'{number:g}' if t.is_floating_point() else f'{number:d}' for number in _flat(t))}]")
    return "".join(f"\t{row}\n" for row in rows)


def _flat(t: torch.Tensor) -> list:
    return t.detach().reshape(-1).tolist()
