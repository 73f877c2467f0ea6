"""Several transforms in a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from refluid.data.loading.data_loader import stack_fields


class Compose:
    """Transforms in a row: each gets what the one before gave, several values as several arguments."""

    def __init__(self, transforms: Sequence[Callable] = ()):
        self.transforms = list(transforms)

    def __call__(self, *data: object) -> Any:
        value: Any = data if len(data) > 1 else data[0]
        for transform in self.transforms:
            value = transform(*value) if isinstance(value, tuple | list) else transform(value)
        return value


class BatchCompose:
    """Transforms of a whole batch, a list of samples, and then the stacking of its fields: a `collate_fn`."""

    def __init__(self, transforms: Sequence[Callable] = ()):
        self.transforms = list(transforms)

    def __call__(self, data: list[Any]) -> list[np.ndarray]:
        for transform in self.transforms:
            data = transform(data)
        return stack_fields(list(data))
