"""Which operators compute in float16, which in float32, and which follow their inputs."""

from __future__ import annotations

from collections.abc import Iterable

from refluid.core.errors import ArgumentError

# float16 is faster and safe.
WHITE = {"conv2d", "matmul", "mul"}
# float16 overflows or loses too much.
BLACK = {
    "exp", "square", "log", "mean", "sum", "cos_sim", "softmax", "softmax_with_cross_entropy",
    "sigmoid_cross_entropy_with_logits", "cross_entropy", "cross_entropy2",
}  # fmt: skip
# As their inputs are.
GRAY = {
    "elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "elementwise_max", "elementwise_min",
    "elementwise_pow", "elementwise_mod", "elementwise_floordiv", "batch_norm", "tanh", "sigmoid", "lookup_table",
    "top_k", "pool2d", "pool3d", "dropout", "relu", "relu6", "leaky_relu", "soft_relu", "flatten2", "stack", "unstack",
    "uniform_random_batch_size_like", "gaussian_random", "gaussian_random_batch_size_like", "slice", "rank", "scale",
    "transpose2", "reshape2", "gather", "fill_constant", "get_tensor_from_selected_rows", "sign", "cast",
}  # fmt: skip


class AutoMixedPrecisionLists:
    """The lists, changed by one's own.

    Args:
        custom_white_list: types of operators that compute in float16 where they did not.
        custom_black_list: types that compute in float32.
        custom_black_varnames: names of variables; operators that read or write them compute in float32.
    """

    def __init__(
        self,
        custom_white_list: Iterable[str] | None = None,
        custom_black_list: Iterable[str] | None = None,
        custom_black_varnames: Iterable[str] | None = None,
    ):
        white, black = set(custom_white_list or ()), set(custom_black_list or ())
        if white & black:
            raise ArgumentError(
                f"AutoMixedPrecisionLists: {', '.join(sorted(white & black))} is in custom_white_list and in "
                "custom_black_list"
            )
        self.white_list = (WHITE | white) - black
        self.black_list = (BLACK | black) - white
        self.gray_list = GRAY - white - black
        self.black_varnames = set(custom_black_varnames or ())
