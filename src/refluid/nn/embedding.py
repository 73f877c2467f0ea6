"""Embedding in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.layers.numbers import positive
from refluid.nn.generations import bind, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry


class Embedding(Layer):
    """Rows of a table, chosen by ids.

    Embedding([name_scope,] size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None,
    dtype='float32'). With a name scope (1.4, 1.5) ids are [..., 1] and that axis goes; without (1.7) they have any
    shape. A negative padding_idx counts from the end of the table.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        given = {
            "is_sparse": False, "is_distributed": False, "padding_idx": None, "param_attr": None, "dtype": "float32",
            **bind("size is_sparse is_distributed padding_idx param_attr dtype", args, kwargs, type(self)),
        }  # fmt: skip
        size = given.get("size")
        if not isinstance(size, list | tuple) or len(size) != 2:
            raise ArgumentError(f"Embedding: size must be [rows, width], got {size!r}")
        size = [positive("Embedding: size", one) for one in size]
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        self._op_type = "lookup_table_v2" if scope is None else "lookup_table"
        self._size, self._is_sparse, self._is_distributed = size, given["is_sparse"], given["is_distributed"]
        padding = given["padding_idx"]
        self._padding_idx = -1 if padding is None else padding if padding >= 0 else size[0] + padding
        self.weight = self.create_parameter(self._size, given["param_attr"])

    def forward(self, input: Any) -> Any:
        return registry.get(self._op_type)(
            self.weight, input, name=self.layer_name, is_sparse=self._is_sparse, is_distributed=self._is_distributed,
            remote_prefetch=False, padding_idx=self._padding_idx,
        )  # fmt: skip
