"""PRelu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.params.attr import AttrLike
from refluid.params.initializer import Constant

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure

_MODES = ("all", "channel", "element")


def _begins_with_a_scope(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Both signatures begin with a str; that of 1.5 alone has another behind it, or the first by name."""
    return name_scope_first(args[1:], kwargs) or (len(args) > 1 and "mode" in kwargs)


class PRelu(Layer):
    """max(0, x) + weight * min(0, x) with a trained weight (He et al., 2015).

    Args:
        mode: "all" for one weight, "channel" for one per channel, "element" for one per element of a sample.
        channel: the number of channels, for mode "channel".
        input_shape: the shape of the input, for mode "element"; the first size is not used.
        param_attr: settings of the weight.
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self,
        mode: str,
        channel: int | None = None,
        input_shape: Sequence[int] | None = None,
        param_attr: AttrLike = None,
        dtype: Dtype = "float32",
    ):
        super().__init__("prelu", dtype=dtype)  # Fluid: not p_relu
        self._set_up(mode, param_attr)
        if self._mode == "channel":
            self._make_parameters([1, _needed(mode, "channel", channel), 1, 1])
        elif self._mode == "element":
            self._make_parameters([1, *list(_needed(mode, "input_shape", input_shape))[1:]])

    @older(__init__, before="1.7", when=_begins_with_a_scope)
    def _init_1_5(self, name_scope: str, mode: str, param_attr: AttrLike = None) -> None:
        """Sizes are those of the first input."""
        super().__init__(in_scope(name_scope, self))
        self._set_up(mode, param_attr)

    def _set_up(self, mode: str, param_attr: AttrLike) -> None:
        if mode not in _MODES:
            raise ArgumentError(f"PRelu: mode must be 'all', 'channel' or 'element', got {mode!r}")
        self._mode, self._param_attr = mode, param_attr
        self._alpha_shape: list[int] | None = None
        self.weight = None
        if mode == "all":
            self._make_parameters([1])

    def _make_parameters(self, shape: list[int]) -> None:
        self._alpha_shape = shape
        self.weight = self.create_parameter(shape, self._param_attr, default_initializer=Constant(1.0))

    def _build_once(self, input: BaseVariable) -> None:
        if self._alpha_shape is None:
            if len(input.shape) < 2:
                raise ShapeError(f"PRelu: mode {self._mode!r} takes 2 axes or more, got {list(input.shape)}")
            self._make_parameters([1, input.shape[1], 1, 1] if self._mode == "channel" else [1, *input.shape[1:]])

    def forward(self, input: BaseVariable) -> BaseVariable:
        return registry.get("prelu")(input, self.weight, name=self.layer_name, mode=self._mode)


def _needed(mode: str, name: str, value: object) -> Structure:
    if value is None:
        raise ArgumentError(f"PRelu: mode {mode!r} needs {name}")
    return value
