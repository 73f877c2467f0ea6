"""Activations as layers: ReLU, Sigmoid, LogSoftmax, HSigmoid."""

from __future__ import annotations

from typing import Any

from refluid.alpha.common import need_weight
from refluid.alpha.nn.functional import hsigmoid, log_softmax, relu, sigmoid
from refluid.core.errors import ArgumentError
from refluid.layers.numbers import positive
from refluid.nn.layer import Layer


class ReLU(Layer):
    """max(input, 0); with inplace the result takes the input's place, but not in the imperative mode."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._inplace = inplace

    def forward(self, input: Any) -> Any:
        return relu(input, self._inplace)


class Sigmoid(Layer):
    """1 / (1 + exp(-input)); with inplace the result takes the input's place, but not in the imperative mode."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._inplace = inplace

    def forward(self, input: Any) -> Any:
        return sigmoid(input, self._inplace)


class LogSoftmax(Layer):
    """log(softmax(input)) along an axis, the last unless given."""

    def __init__(self, axis: int | None = None):
        super().__init__()
        self._axis = axis

    def forward(self, input: Any) -> Any:
        return log_softmax(input, self._axis)


class HSigmoid(Layer):
    """A loss of many classes, which are the leaves of a tree: that of the decisions on the way to the label.

    Args:
        feature_size: the width D of the input.
        num_classes: of the complete binary tree; with is_custom, the number of inner nodes.
        is_custom: the tree is given with every call.
        is_sparse: the gradient of the weight holds only the nodes passed (SelectedRows).
    """

    def __init__(self, feature_size: int, num_classes: int, param_attr: Any = None, bias_attr: Any = None,
                 is_custom: bool = False, is_sparse: bool = False, dtype: Any = "float32"):  # fmt: skip
        super().__init__(dtype=dtype)
        need_weight("HSigmoid", param_attr)
        feature_size = positive("HSigmoid: feature_size", feature_size)
        num_classes = positive("HSigmoid: num_classes", num_classes)
        if num_classes < 2 and not is_custom:
            raise ArgumentError(f"HSigmoid: num_classes must be 2 or more, got {num_classes!r}")
        self._feature_size, self._num_classes = feature_size, num_classes
        self._is_custom, self._is_sparse = is_custom, is_sparse
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], param_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Any:
        """input: [N, D]; label: int64 [N, 1]; path_table, path_code: int64 [N, longest way], with is_custom."""
        if self._is_custom and (path_table is None or path_code is None):
            raise ArgumentError("HSigmoid: is_custom=True needs path_table and path_code")
        return hsigmoid(input, label, self.weight, self.bias, self._num_classes, path_table, path_code, self._is_sparse)
