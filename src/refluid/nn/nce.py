"""NCE in the spellings of 1.5 and 1.7."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.layers.sampled_loss import SAMPLERS, custom_tables
from refluid.nn.generations import bind, need, scoped_name, take_scope
from refluid.nn.layer import Layer
from refluid.ops import registry

_SETTINGS = "sample_weight param_attr bias_attr num_neg_samples sampler custom_dist seed is_sparse"


class NCE(Layer):
    """Tells the label from a few classes drawn at random (Gutmann and Hyvarinen, 2010).

    1.7: NCE(num_total_classes, dim, sample_weight=None, param_attr=None, bias_attr=None, num_neg_samples=None,
         sampler='uniform', custom_dist=None, seed=0, is_sparse=False, dtype='float32')
    1.5: NCE(name_scope, num_total_classes, sample_weight=None, ...); `dim` is taken from the first input
    A bias is made where bias_attr is given, as in 1.8. See layers.nce for the rest.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        scope, args = take_scope(args, kwargs)
        order = "num_total_classes " + ("" if scope is not None else "dim ") + _SETTINGS + " dtype"
        given = {
            "sample_weight": None, "param_attr": None, "bias_attr": None, "num_neg_samples": None,
            "sampler": "uniform", "custom_dist": None, "seed": 0, "is_sparse": False, "dtype": "float32",
            **bind(order, args, kwargs, type(self)),
        }  # fmt: skip
        need(type(self), given, "num_total_classes", *(("dim",) if scope is None else ()))
        super().__init__(dtype=given["dtype"])
        if scope is not None:
            self._full_name = scoped_name(scope, self)
        if given["sampler"] not in SAMPLERS:
            raise ArgumentError(
                f"NCE: sampler must be 'uniform', 'log_uniform' or 'custom_dist', got {given['sampler']!r}"
            )
        self._num_total_classes = given["num_total_classes"]
        self._num_neg_samples = 10 if given["num_neg_samples"] is None else int(given["num_neg_samples"])
        self._sample_weight, self._param_attr, self._bias_attr = (
            given["sample_weight"], given["param_attr"], given["bias_attr"],
        )  # fmt: skip
        self._sampler, self._seed, self._is_sparse = SAMPLERS[given["sampler"]], given["seed"], given["is_sparse"]
        # A list of them is no attribute that holds parameters: Fluid keeps them out of the state too.
        self._tables = custom_tables("NCE", given["sampler"], given["custom_dist"], self._num_total_classes,
                                     self.layer_name)  # fmt: skip
        self._dim: int | None = None
        if scope is None:
            self._make_parameters(given["dim"])

    def _make_parameters(self, dim: int) -> None:
        self._dim = dim
        self.weight = self.create_parameter([self._num_total_classes, dim], self._param_attr)
        self.bias = None
        if self._bias_attr:
            self.bias = self.create_parameter([self._num_total_classes, 1], self._bias_attr, is_bias=True)

    def _build_once(self, input: Any, *rest: Any) -> None:
        if self._dim is None:
            self._make_parameters(input.shape[1])

    def forward(self, input: Any, label: Any, sample_weight: Any = None) -> Any:
        weights = self._sample_weight if sample_weight is None else sample_weight
        cost, _, _ = registry.get("nce")(
            input, label, self.weight, self.bias, weights, *self._tables, name=self.layer_name,
            num_total_classes=self._num_total_classes, num_neg_samples=self._num_neg_samples, seed=self._seed,
            sampler=self._sampler, is_sparse=self._is_sparse, remote_prefetch=self._is_sparse,
        )  # fmt: skip
        return cost / (self._num_neg_samples + 1)
