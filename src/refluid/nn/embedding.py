"""Embedding."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.errors import ArgumentError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import positive
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.params.attr import AttrLike


class Embedding(Layer):
    """Rows of a table, chosen by int64 ids of any shape: [...] becomes [..., width].

    Args:
        size: [number of rows, width].
        is_sparse: the gradient of the table is sparse (SelectedRows): only the rows that were chosen.
        is_distributed: the table is kept by parameter servers.
        padding_idx: this id gives zeros; a negative one counts from the end of the table. None for no such id.
        param_attr: settings of the table.
        dtype: the dtype of the parameters.

    Example:
        >>> with fluid.dygraph.guard():
        ...     embedding = fluid.dygraph.Embedding(size=[10, 4])
        ...     embedding(fluid.dygraph.to_variable(np.array([[1, 2, 3]]))).shape
        [1, 3, 4]
    """

    @generations
    def __init__(self, size: Sequence[int], is_sparse: bool = False, is_distributed: bool = False,
                 padding_idx: int | None = None, param_attr: AttrLike = None, dtype: Dtype = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        self._op_type = "lookup_table_v2"
        self._set_up(size, is_sparse, is_distributed, padding_idx, param_attr)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self,
        name_scope: str,
        size: Sequence[int],
        is_sparse: bool = False,
        is_distributed: bool = False,
        padding_idx: int | None = None,
        param_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ) -> None:
        """Ids are [..., 1], and that axis is removed."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._op_type = "lookup_table"
        self._set_up(size, is_sparse, is_distributed, padding_idx, param_attr)

    def _set_up(
        self, size: Sequence[int], is_sparse: bool, is_distributed: bool, padding_idx: int | None, param_attr: AttrLike
    ) -> None:
        if not isinstance(size, list | tuple) or len(size) != 2:
            raise ArgumentError(f"Embedding: size must be [rows, width], got {size!r}")
        self._size = [positive("Embedding: size", axis) for axis in size]
        self._is_sparse, self._is_distributed = is_sparse, is_distributed
        if padding_idx is None:
            self._padding_idx = -1
        else:
            self._padding_idx = padding_idx if padding_idx >= 0 else self._size[0] + padding_idx
        self.weight = self.create_parameter(self._size, param_attr)

    def forward(self, input: BaseVariable) -> BaseVariable:
        return registry.get(self._op_type)(
            self.weight, input, name=self.layer_name, is_sparse=self._is_sparse, is_distributed=self._is_distributed,
            remote_prefetch=False, padding_idx=self._padding_idx,
        )  # fmt: skip
