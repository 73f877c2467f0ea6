"""isfinite, isinf, isnan: one answer for a whole tensor."""

from __future__ import annotations

from collections.abc import Callable

import torch

from refluid.ops.registry import OpDef, Tensor, op
from refluid.tensor.selected_rows import SelectedRows


def whole_tensor(name: str, function: Callable[[Tensor], Tensor]) -> OpDef:
    def kernel(X: Tensor) -> Tensor:
        return function(X.value if type(X) is SelectedRows else X).reshape(1)

    return op("Out", type=name, lod=None, nograd="*")(kernel)


isfinite = whole_tensor("isfinite", lambda x: torch.isfinite(x).all())
isinf = whole_tensor("isinf", lambda x: torch.isinf(x).any())
isnan = whole_tensor("isnan", lambda x: torch.isnan(x).any())
