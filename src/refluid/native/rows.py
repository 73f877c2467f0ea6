"""Adding to some rows of tables, which sparse gradients are for."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence

import torch

from refluid.native import call as native

_KERNELS = {torch.float32: "add_rows_float32", torch.float64: "add_rows_float64"}
_Work = tuple[torch.Tensor, torch.Tensor, torch.Tensor, float]  # total, index, value, scale


def add_rows(total: torch.Tensor, index: torch.Tensor, value: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """total[index] += scale * value, in place and in the order of `index`, which may name a row several times."""
    add_rows_to_all([total], [index], [value], [scale])
    return total


def add_rows_to_all(
    totals: Sequence[torch.Tensor],
    indices: Sequence[torch.Tensor],
    values: Sequence[torch.Tensor],
    scales: Sequence[float],
) -> None:
    """The same for many tables: one call for those of one dtype, since the rows of a batch are soon added."""
    groups: dict[str | None, list[_Work]] = {}
    for job in zip(totals, indices, values, scales, strict=True):
        groups.setdefault(_kernel(*job[:3]), []).append(job)
    for name, work in groups.items():
        if name is None or _call(name, work):
            for total, index, value, scale in work:
                # torch's index_add_ takes several times as long with an alpha. It also tells of rows that are outside.
                total.index_add_(0, index, value if scale == 1.0 else value.mul(scale))


def _kernel(total: torch.Tensor, index: torch.Tensor, value: torch.Tensor) -> str | None:
    """The kernel for memory that lies as it wants it: rows of numbers side by side; those of `value` may be apart."""
    fits = (
        total.dim() == 2
        and value.dtype is total.dtype
        and index.dtype is torch.int64
        and value.shape == (index.shape[0], total.shape[1])
        and total.is_contiguous()
        and value.stride(1) == 1
        and index.is_contiguous()
        and total.is_cpu
        and not (total.requires_grad or value.requires_grad)
    )
    return _KERNELS.get(total.dtype) if fits and native.available() else None


def _call(name: str, work: list[_Work]) -> int:
    jobs, scales = array("q"), array("d")
    for total, index, value, scale in work:
        height, width = total.shape
        jobs.extend(
            (total.data_ptr(), height, width, index.data_ptr(), index.shape[0], value.data_ptr(), value.stride(0))
        )
        scales.append(scale)
    function = native.function(name)
    function.restype = ctypes.c_int64
    addresses = (ctypes.c_void_p(one.buffer_info()[0]) for one in (jobs, scales))
    result = function(*addresses, ctypes.c_int64(len(work)))
    if result == 0:  # for those who watch versions, which torch's own kernels count
        torch.autograd.graph.increment_version([total for total, *_ in work])
    return result
