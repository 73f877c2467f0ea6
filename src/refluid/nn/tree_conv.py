"""TreeConv in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.layers.common import activate
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.nn.tree_conv import tree_conv


class TreeConv(Layer):
    """Convolution over the nodes of trees (Mou et al., 2016).

    1.7: TreeConv(feature_size, output_size, num_filters=1, max_depth=2, act='tanh', param_attr=None, bias_attr=None,
         name=None, dtype='float32')
    1.5: TreeConv(name_scope, output_size, num_filters=1, ...); the features are those of the first input
    A bias, one number per filter, is made where bias_attr is given, as in 1.8 (which could not add it).
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        order = "output_size num_filters max_depth act param_attr bias_attr name dtype"
        given = {
            "num_filters": 1, "max_depth": 2, "act": "tanh", "param_attr": None, "bias_attr": None, "name": None,
            "dtype": "float32", "feature_size": None,
            **bind(order if scope is not None else f"feature_size {order}", args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "output_size", *(("feature_size",) if scope is None else ()))
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        self._output_size, self._num_filters = given["output_size"], given["num_filters"]
        self._max_depth, self._act, self._name = given["max_depth"], given["act"], given["name"]
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self._feature_size = given["feature_size"]
        if self._feature_size is not None:
            self._make_parameters(self._feature_size)

    def _make_parameters(self, features: int) -> None:
        self._feature_size = features
        shape = [features, 3, self._output_size, self._num_filters]
        self.bias = None
        if self._bias_attr:  # Fluid: before the weight, in names and state dictionaries too
            self.bias = self.create_parameter([self._num_filters], self._bias_attr, is_bias=True)
        self.weight = self.create_parameter(shape, self._param_attr)

    def _build_once(self, nodes_vector: Any, edge_set: Any) -> None:
        if self._feature_size is None:
            self._make_parameters(nodes_vector.shape[2])

    def forward(self, nodes_vector: Any, edge_set: Any) -> Any:
        layer = self.layer_name
        out = tree_conv(nodes_vector, edge_set, self.weight, name=layer, max_depth=self._max_depth)
        if self.bias is not None:
            out = elementwise_add(out, self.bias, axis=-1, name=layer)
        return activate(out, self._act, layer)
