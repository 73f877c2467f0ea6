"""BilinearTensorProduct in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.layers.common import activate
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry


class BilinearTensorProduct(Layer):
    """act(x . weight_i . y + bias_i) for every output i; x is [N, A], y is [N, B].

    1.7: BilinearTensorProduct(input1_dim, input2_dim, output_dim, name=None, act=None, param_attr=None,
         bias_attr=None, dtype='float32')
    1.5: BilinearTensorProduct(name_scope, size, name=None, act=None, ...); A and B are taken from the first inputs
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        sizes = "size" if scope is not None else "input1_dim input2_dim output_dim"
        given = {
            "name": None, "act": None, "param_attr": None, "bias_attr": None, "dtype": "float32",
            **bind(f"{sizes} name act param_attr bias_attr dtype", args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, *sizes.split())
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        self._name, self._act = given["name"], given["act"]
        self._param_attr, self._bias_attr = given["param_attr"], given["bias_attr"]
        self._output_dim = given["size"] if scope is not None else given["output_dim"]
        self._input1_dim = self._input2_dim = None
        if scope is None:
            self._make_parameters(given["input1_dim"], given["input2_dim"])

    def _make_parameters(self, first: int, second: int) -> None:
        self._input1_dim, self._input2_dim = first, second
        self.weight = self.create_parameter([self._output_dim, first, second], self._param_attr)
        self.bias = self.create_parameter([1, self._output_dim], self._bias_attr, is_bias=True)

    def _build_once(self, x: Any, y: Any) -> None:
        if self._input1_dim is None:
            self._make_parameters(x.shape[1], y.shape[1])

    def forward(self, x: Any, y: Any) -> Any:
        layer = self.layer_name
        out = registry.get("bilinear_tensor_product")(x, y, self.weight, self.bias, name=layer)
        return activate(out, self._act, layer)
