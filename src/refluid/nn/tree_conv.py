"""TreeConv."""

from __future__ import annotations

from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import activate
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.nn.tree_conv import tree_conv
from refluid.params.attr import AttrLike


class TreeConv(Layer):
    """Convolution over the nodes of trees (Mou et al., 2016).

    A bias, one number per filter, is made only where bias_attr is given, as in 1.8 (which could not add it).

    Args:
        feature_size: the width of a node.
        output_size: the width of an output.
        num_filters: the number of filters.
        max_depth: the depth of the subtree that a filter sees.
        act: the name of an activation, "relu" for example; None for none.
        param_attr: settings of the weight [feature_size, 3, output_size, num_filters].
        bias_attr: settings of the bias [num_filters]; False for no bias.
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self, feature_size: int, output_size: int, num_filters: int = 1, max_depth: int = 2, act: str | None = "tanh",
        param_attr: AttrLike = None, bias_attr: AttrLike = None, name: str | None = None, dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(output_size, num_filters, max_depth, act, param_attr, bias_attr, name)
        self._make_parameters(feature_size)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self, name_scope: str, output_size: int, num_filters: int = 1, max_depth: int = 2, act: str | None = "tanh",
        param_attr: AttrLike = None, bias_attr: AttrLike = None, name: str | None = None, dtype: Dtype = "float32",
    ) -> None:  # fmt: skip
        """The features are those of the first input."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(output_size, num_filters, max_depth, act, param_attr, bias_attr, name)

    def _set_up(
        self,
        output_size: int,
        num_filters: int,
        max_depth: int,
        act: str | None,
        param_attr: AttrLike,
        bias_attr: AttrLike,
        name: str | None,
    ) -> None:
        self._feature_size: int | None = None
        self._output_size, self._num_filters = output_size, num_filters
        self._max_depth, self._act, self._name = max_depth, act, name
        self._param_attr, self._bias_attr = param_attr, bias_attr

    def _make_parameters(self, features: int) -> None:
        self._feature_size = features
        shape = [features, 3, self._output_size, self._num_filters]
        self.bias = None
        if self._bias_attr:  # Fluid: before the weight, in names and state dictionaries too
            self.bias = self.create_parameter([self._num_filters], self._bias_attr, is_bias=True)
        self.weight = self.create_parameter(shape, self._param_attr)

    def _build_once(self, nodes_vector: BaseVariable, edge_set: BaseVariable) -> None:
        if self._feature_size is None:
            self._make_parameters(nodes_vector.shape[2])

    def forward(self, nodes_vector: BaseVariable, edge_set: BaseVariable) -> BaseVariable:
        """The convolution.

        Args:
            nodes_vector: a variable of shape [N, nodes, feature_size].
            edge_set: an int32 variable of shape [N, edges, 2]: parent and child, counted from 1.

        Returns:
            A variable of shape [N, nodes, output_size, num_filters].
        """
        layer = self.layer_name
        out = tree_conv(nodes_vector, edge_set, self.weight, name=layer, max_depth=self._max_depth)
        if self.bias is not None:
            out = elementwise_add(out, self.bias, axis=-1, name=layer)
        return activate(out, self._act, layer)
