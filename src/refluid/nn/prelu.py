"""PRelu in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, ShapeError
from refluid.nn.generations import bind, need, scoped_name
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.params.initializer import Constant

_MODES = ("all", "channel", "element")


class PRelu(Layer):
    """max(0, x) + weight * min(0, x) with a trained weight (He et al., 2015).

    1.7: PRelu(mode, channel=None, input_shape=None, param_attr=None, dtype='float32')
    1.5: PRelu(name_scope, mode, param_attr=None); sizes are taken from the first input
    `mode` is "all" for one weight, "channel" for one per channel (`channel`), "element" for one per element of a
    sample (`input_shape`, whose first number does not count).
    """

    def __init__(self, *args: Any, **kwargs: Any):
        # Both begin with a str; only 1.5 has another one behind it, or the name of the first.
        old = "name_scope" in kwargs or (len(args) > 1 and isinstance(args[1], str)) or (args and "mode" in kwargs)
        order = "name_scope mode param_attr" if old else "mode channel input_shape param_attr dtype"
        given = {
            "channel": None, "input_shape": None, "param_attr": None, "dtype": "float32", "name_scope": None,
            **bind(order, args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "mode")
        super().__init__("prelu", dtype=given["dtype"])  # Fluid: not p_relu
        if given["name_scope"] is not None:
            self._full_name = scoped_name(given["name_scope"], self)
        self._mode, self._param_attr = given["mode"], given["param_attr"]
        if self._mode not in _MODES:
            raise ArgumentError(f"PRelu: mode must be 'all', 'channel' or 'element', got {self._mode!r}")
        self._alpha_shape: list[int] | None = None
        self.weight = None
        if self._mode == "all":
            self._make_parameters([1])
        elif not old:
            size = {"channel": "channel", "element": "input_shape"}[self._mode]
            if given[size] is None:
                raise ArgumentError(f"PRelu: mode {self._mode!r} needs {size}")
            self._make_parameters(
                [1, given["channel"], 1, 1] if size == "channel" else [1, *list(given["input_shape"])[1:]]
            )

    def _make_parameters(self, shape: list[int]) -> None:
        self._alpha_shape = shape
        self.weight = self.create_parameter(shape, self._param_attr, default_initializer=Constant(1.0))

    def _build_once(self, input: Any) -> None:
        if self._alpha_shape is None:
            if len(input.shape) < 2:
                raise ShapeError(f"PRelu: mode {self._mode!r} takes 2 axes or more, got {list(input.shape)}")
            self._make_parameters([1, input.shape[1], 1, 1] if self._mode == "channel" else [1, *input.shape[1:]])

    def forward(self, input: Any) -> Any:
        return registry.get("prelu")(input, self.weight, name=self.layer_name, mode=self._mode)
