"""Running kernels on meta tensors without torch's compiler.

Most meta kernels of torch are Python functions that take up to a millisecond and import its compiler and sympy, which
takes seconds. While shapes are inferred, `Sizing` replaces them: an operator whose output sizes are all sizes
of its inputs runs on small real tensors, in which every distinct size has a small one of its own; the others have the
rules of `sizing_rules.py`. What neither knows still goes to torch.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from refluid.ops.sizing_rules import RULES

# Not pointwise, and yet every size of a result is 1 or that of an input.
_SAME_SIZES = frozenset(
    """
    _log_softmax _prelu_kernel _softmax _trilinear addmm all amax amin any argmax argmin baddbmm binary_cross_entropy
    binary_cross_entropy_with_logits bmm cumprod cumsum dot embedding flip gather grid_sampler_2d index index_add
    index_add_ index_copy index_fill index_put index_select linalg_cholesky_ex linalg_cross linalg_inv_ex
    linalg_vector_norm log_sigmoid_forward masked_fill max mean min mm mv native_batch_norm nll_loss2d_forward
    nll_loss_forward normal_ prod roll scatter scatter_add sort sum tril triu
    """.split()
)
_KEPT = 4  # sizes up to this one are not replaced: some operators require an axis of 2 or 3


class Sizing(TorchDispatchMode):
    """While it is active, operators on meta tensors take these shortcuts."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True would import the compiler

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        rule = RULES.get(name)
        if rule is not None and (_on_meta((args, kwargs)) or _wants_meta(kwargs)):
            return rule(*args, **kwargs)
        if (name in _SAME_SIZES or torch.Tag.pointwise in func.tags) and _on_meta((args, kwargs)):
            return _run_small(func, args, kwargs)
        return func(*args, **kwargs)


def _run_small(func: Any, args: Any, kwargs: Any) -> Any:
    """The results of an operator, from small real tensors; an in-place operator returns its argument."""
    small: dict[int, int] = {}

    def shrunk(value: object) -> Any:
        if isinstance(value, torch.Tensor):
            sizes = [n if n <= _KEPT else small.setdefault(n, _KEPT + 1 + len(small)) for n in value.shape]
            return torch.zeros(sizes, dtype=value.dtype)
        return type(value)(map(shrunk, value)) if isinstance(value, list | tuple) else value

    result = func(*shrunk(args), **{name: shrunk(value) for name, value in kwargs.items()})
    large = {to: n for n, to in small.items()}

    def grown(value: object) -> Any:
        if isinstance(value, torch.Tensor):
            return torch.empty([large.get(n, n) for n in value.shape], dtype=value.dtype, device="meta")
        return type(value)(map(grown, value)) if isinstance(value, list | tuple) else value

    return args[0] if func._schema.is_mutable else grown(result)


def _on_meta(value: object) -> bool:
    if isinstance(value, torch.Tensor):
        return value.is_meta
    if isinstance(value, dict):
        return any(map(_on_meta, value.values()))
    return isinstance(value, list | tuple) and any(map(_on_meta, value))


def _wants_meta(kwargs: dict[str, Any]) -> bool:
    return kwargs.get("device") is not None and torch.device(kwargs["device"]).type == "meta"
