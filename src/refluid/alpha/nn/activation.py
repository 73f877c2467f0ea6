"""Activations as layers: ReLU, Sigmoid, LogSoftmax, HSigmoid."""

from __future__ import annotations

from refluid.alpha.common import need_weight
from refluid.alpha.nn.functional import hsigmoid, log_softmax, relu, sigmoid
from refluid.core.errors import ArgumentError
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import positive
from refluid.nn.layer import Layer
from refluid.params.attr import AttrLike


class ReLU(Layer):
    """max(input, 0) as a layer.

    Args:
        inplace: the result overwrites the input; no effect in the imperative mode.
    """

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._inplace = inplace

    def forward(self, input: BaseVariable) -> BaseVariable:
        return relu(input, self._inplace)


class Sigmoid(Layer):
    """1 / (1 + exp(-input)) as a layer.

    Args:
        inplace: the result overwrites the input; no effect in the imperative mode.
    """

    def __init__(self, inplace: bool = False):
        super().__init__()
        self._inplace = inplace

    def forward(self, input: BaseVariable) -> BaseVariable:
        return sigmoid(input, self._inplace)


class LogSoftmax(Layer):
    """log(softmax(input)) along an axis as a layer.

    Args:
        axis: the axis; the last one if None.
    """

    def __init__(self, axis: int | None = None):
        super().__init__()
        self._axis = axis

    def forward(self, input: BaseVariable) -> BaseVariable:
        return log_softmax(input, self._axis)


class HSigmoid(Layer):
    """Hierarchical sigmoid loss: classes are leaves of a binary tree, and every decision on the path counts.

    Args:
        feature_size: the width D of the input.
        num_classes: the number of classes of a complete binary tree; with is_custom, the number of inner nodes.
        param_attr: settings of the weight [inner nodes, D].
        bias_attr: settings of the bias [inner nodes, 1]; False for no bias.
        is_custom: the tree is given with every call.
        is_sparse: the gradient of the weight is sparse (SelectedRows): only the nodes on the paths.
        dtype: the dtype of the parameters.
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        dtype: Dtype = "float32",
    ):
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

    def forward(
        self,
        input: BaseVariable,
        label: BaseVariable,
        path_table: BaseVariable | None = None,
        path_code: BaseVariable | None = None,
    ) -> BaseVariable:
        """The loss of every sample.

        Args:
            input: a float variable of shape [N, D].
            label: an int64 variable of shape [N, 1].
            path_table: with is_custom, the nodes on the path of every sample: int64 [N, longest path], -1 behind it.
            path_code: with is_custom, the decisions at these nodes, of the same shape.

        Returns:
            A variable of shape [N, 1].
        """
        if self._is_custom and (path_table is None or path_code is None):
            raise ArgumentError("HSigmoid: is_custom=True needs path_table and path_code")
        return hsigmoid(input, label, self.weight, self.bias, self._num_classes, path_table, path_code, self._is_sparse)
