"""BilinearTensorProduct."""

from __future__ import annotations

from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import activate
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.params.attr import AttrLike


class BilinearTensorProduct(Layer):
    """act(x @ weight_i @ y + bias_i) for every output i; x is [N, A], y is [N, B].

    Args:
        input1_dim: the width A of x.
        input2_dim: the width B of y.
        output_dim: the number of outputs.
        act: the name of an activation, "relu" for example; None for none.
        param_attr: settings of the weight [output_dim, A, B].
        bias_attr: settings of the bias [1, output_dim]; False for no bias.
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self, input1_dim: int, input2_dim: int, output_dim: int, name: str | None = None, act: str | None = None,
        param_attr: AttrLike = None, bias_attr: AttrLike = None, dtype: Dtype = "float32",
    ):  # fmt: skip
        super().__init__(dtype=dtype)
        self._set_up(output_dim, name, act, param_attr, bias_attr)
        self._make_parameters(input1_dim, input2_dim)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self, name_scope: str, size: int, name: str | None = None, act: str | None = None, param_attr: AttrLike = None,
        bias_attr: AttrLike = None, dtype: Dtype = "float32",
    ) -> None:  # fmt: skip
        """A and B are those of the first inputs."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(size, name, act, param_attr, bias_attr)

    def _set_up(
        self, output_dim: int, name: str | None, act: str | None, param_attr: AttrLike, bias_attr: AttrLike
    ) -> None:
        self._input1_dim: int | None = None
        self._input2_dim: int | None = None
        self._output_dim, self._name, self._act = output_dim, name, act
        self._param_attr, self._bias_attr = param_attr, bias_attr

    def _make_parameters(self, first: int, second: int) -> None:
        self._input1_dim, self._input2_dim = first, second
        self.weight = self.create_parameter([self._output_dim, first, second], self._param_attr)
        self.bias = self.create_parameter([1, self._output_dim], self._bias_attr, is_bias=True)

    def _build_once(self, x: BaseVariable, y: BaseVariable) -> None:
        if self._input1_dim is None:
            self._make_parameters(x.shape[1], y.shape[1])

    def forward(self, x: BaseVariable, y: BaseVariable) -> BaseVariable:
        layer = self.layer_name
        out = registry.get("bilinear_tensor_product")(x, y, self.weight, self.bias, name=layer)
        return activate(out, self._act, layer)
