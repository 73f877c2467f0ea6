"""NCE."""

from __future__ import annotations

from collections.abc import Sequence

from refluid.core.errors import ArgumentError
from refluid.core.generations import generations, older
from refluid.core.types import Dtype
from refluid.ir.base_variable import BaseVariable
from refluid.layers.sampled_loss import SAMPLERS, custom_tables
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer
from refluid.ops import registry
from refluid.params.attr import AttrLike


class NCE(Layer):
    """Noise contrastive estimation: tell the label from a few classes drawn at random (Gutmann and Hyvarinen, 2010).

    A bias is made only where bias_attr is given, as in 1.8.

    Args:
        num_total_classes: the number of classes.
        dim: the width of the input.
        sample_weight: weights of the samples, a variable of shape [N, 1]; None for 1.
        param_attr: settings of the weight [num_total_classes, dim].
        bias_attr: settings of the bias [num_total_classes, 1].
        num_neg_samples: the number of negative classes per sample; 10 if None.
        sampler: "uniform", "log_uniform" or "custom_dist".
        custom_dist: with "custom_dist", the probabilities of the classes.
        seed: seed of the sampler; 0 for that of the program.
        is_sparse: the gradient of the weight is sparse (SelectedRows).
        dtype: the dtype of the parameters.
    """

    @generations
    def __init__(
        self,
        num_total_classes: int,
        dim: int,
        sample_weight: BaseVariable | None = None,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        num_neg_samples: int | None = None,
        sampler: str = "uniform",
        custom_dist: Sequence[float] | None = None,
        seed: int = 0,
        is_sparse: bool = False,
        dtype: Dtype = "float32",
    ):
        super().__init__(dtype=dtype)
        self._set_up(num_total_classes, sample_weight, param_attr, bias_attr, num_neg_samples, sampler, custom_dist,
                     seed, is_sparse)  # fmt: skip
        self._make_parameters(dim)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(
        self,
        name_scope: str,
        num_total_classes: int,
        sample_weight: BaseVariable | None = None,
        param_attr: AttrLike = None,
        bias_attr: AttrLike = None,
        num_neg_samples: int | None = None,
        sampler: str = "uniform",
        custom_dist: Sequence[float] | None = None,
        seed: int = 0,
        is_sparse: bool = False,
        dtype: Dtype = "float32",
    ) -> None:
        """`dim` is that of the first input."""
        super().__init__(in_scope(name_scope, self), dtype)
        self._set_up(num_total_classes, sample_weight, param_attr, bias_attr, num_neg_samples, sampler, custom_dist,
                     seed, is_sparse)  # fmt: skip

    def _set_up(
        self, num_total_classes: int, sample_weight: BaseVariable | None, param_attr: AttrLike, bias_attr: AttrLike,
        num_neg_samples: int | None, sampler: str, custom_dist: Sequence[float] | None, seed: int, is_sparse: bool,
    ) -> None:  # fmt: skip
        if sampler not in SAMPLERS:
            raise ArgumentError(f"NCE: sampler must be 'uniform', 'log_uniform' or 'custom_dist', got {sampler!r}")
        self._dim: int | None = None
        self._num_total_classes = num_total_classes
        self._num_neg_samples = 10 if num_neg_samples is None else int(num_neg_samples)
        self._sample_weight, self._param_attr, self._bias_attr = sample_weight, param_attr, bias_attr
        self._sampler, self._seed, self._is_sparse = SAMPLERS[sampler], seed, is_sparse
        # A list of them is no attribute that holds parameters: Fluid keeps them out of the state too.
        self._tables = custom_tables("NCE", sampler, custom_dist, num_total_classes, self.layer_name)

    def _make_parameters(self, dim: int) -> None:
        self._dim = dim
        self.weight = self.create_parameter([self._num_total_classes, dim], self._param_attr)
        self.bias = None
        if self._bias_attr:
            self.bias = self.create_parameter([self._num_total_classes, 1], self._bias_attr, is_bias=True)

    def _build_once(self, input: BaseVariable, *rest: object) -> None:
        if self._dim is None:
            self._make_parameters(input.shape[1])

    def forward(
        self, input: BaseVariable, label: BaseVariable, sample_weight: BaseVariable | None = None
    ) -> BaseVariable:
        """The loss of every sample.

        Args:
            input: a variable of shape [N, dim].
            label: an int64 variable of shape [N, number of true classes].
            sample_weight: weights of the samples, in place of those of the layer.

        Returns:
            A variable of shape [N, 1].
        """
        weights = self._sample_weight if sample_weight is None else sample_weight
        cost, _, _ = registry.get("nce")(
            input, label, self.weight, self.bias, weights, *self._tables, name=self.layer_name,
            num_total_classes=self._num_total_classes, num_neg_samples=self._num_neg_samples, seed=self._seed,
            sampler=self._sampler, is_sparse=self._is_sparse, remote_prefetch=self._is_sparse,
        )  # fmt: skip
        return cost / (self._num_neg_samples + 1)
