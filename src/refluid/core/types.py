"""Type aliases for arguments that programs write in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch

from refluid.core.dtypes import VarType

Ints: TypeAlias = int | Sequence[int]
"""A stride, a window, a padding: one number for all axes, or one per axis."""

Dtype: TypeAlias = VarType | str | type | np.dtype | torch.dtype
"""A dtype as `core.dtypes.var_type` takes it."""
