"""Convolutions, poolings and normalisations give the same numbers in both memory formats, and keep the one they get."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from refluid.ops import registry

LAST = torch.channels_last


def image(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def in_format(t: Any, last: bool) -> Any:
    return t.clone(memory_format=LAST if last else torch.contiguous_format) if t is not None and t.dim() == 4 else t


def run(op_type: str, inputs: list[Any], attrs: dict[str, Any], last: bool) -> tuple[list[Any], list[Any]]:
    """The outputs, and the gradients for a gradient of the first output."""
    op = registry.get(op_type)
    attrs = op.complete_attrs(attrs)
    values = [in_format(t, last) if t is None or t.dim() == 4 else t.clone() for t in inputs]
    values += [None] * (len(op.inputs) - len(values))
    outs = op.kernel(*values, **op.kernel_attrs(attrs))
    outs = [outs] if op.single else list(outs)
    gradient = op.gradient
    pool = {slot.name: value for slot, value in zip(op.inputs, values)}
    pool.update((slot.name, out) for slot, out in zip(op.outputs, outs))
    first = op.outputs[0].name + "@GRAD"
    pool[first] = in_format(image(*outs[0].shape, seed=5), last)
    args = [pool[gradient.inputs[p.slot].name] for p in gradient.params]
    args = [getattr(a, "shape", None) if p.kind == "shape" else a for a, p in zip(args, gradient.params)]
    needs = {"needs": tuple(pool[s.name.removesuffix("@GRAD")] is not None for s in gradient.outputs)}
    grads = gradient.kernel(*args, **gradient.kernel_attrs(attrs), **(needs if "needs" in gradient.engine else {}))
    return outs, [grads] if gradient.single else list(grads)


channels = [image(16, seed=i).abs() + 0.5 for i in range(4)]
CALLS = {
    "conv2d": ("conv2d", [image(2, 16, 9, 9), image(8, 16, 3, 3, seed=1), image(8)], {"paddings": [1, 1]}),
    "conv2d, one side padded": ("conv2d", [image(2, 16, 9, 9), image(8, 16, 3, 3, seed=1)], {"paddings": [1, 0, 0, 2]}),
    "depthwise": ("depthwise_conv2d", [image(2, 16, 9, 9), image(16, 1, 3, 3, seed=1)], {"groups": 16}),
    "transposed": ("conv2d_transpose", [image(2, 16, 5, 5), image(16, 8, 3, 3, seed=1)], {"strides": [2, 2]}),
    "max": ("pool2d", [image(2, 16, 8, 8)], {"pooling_type": "max", "ksize": [2, 2], "strides": [2, 2]}),
    "max, few channels": ("pool2d", [image(2, 3, 8, 8)], {"pooling_type": "max", "ksize": [3, 3], "paddings": [1, 1]}),
    "avg": ("pool2d", [image(2, 16, 8, 8)], {"pooling_type": "avg", "ksize": [3, 3], "paddings": [1, 1]}),
    "global avg": ("pool2d", [image(2, 16, 8, 8)], {"pooling_type": "avg", "ksize": [1, 1], "global_pooling": True}),
    "batch_norm": ("batch_norm", [image(2, 16, 5, 5), *channels], {}),
    "batch_norm, test": ("batch_norm", [image(2, 16, 5, 5), *channels], {"use_global_stats": True}),
    "group_norm": ("group_norm", [image(2, 16, 5, 5), *channels[:2]], {"groups": 4}),
    "instance_norm": ("instance_norm", [image(2, 16, 5, 5), *channels[:2]], {}),
    "bilinear": ("bilinear_interp", [image(2, 16, 5, 5)], {"out_h": 9, "out_w": 9}),
}


@pytest.mark.parametrize("what", CALLS)
def test_both_memory_formats_agree(what: str) -> None:
    (outs, grads), (outs_last, grads_last) = (run(*CALLS[what], last) for last in (False, True))
    for one, other in zip(outs + grads, outs_last + grads_last):
        if isinstance(one, torch.Tensor) and one.is_floating_point():
            torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-4)
    if outs_last[0].shape[2] > 1:
        assert outs_last[0].is_contiguous(memory_format=LAST) and outs[0].is_contiguous()
        assert grads_last[0].is_contiguous(memory_format=LAST) or "one side" in what


def test_max_pooling_finds_the_gradient_without_the_places_too() -> None:
    x, out_grad = image(2, 16, 8, 8), image(2, 16, 4, 4, seed=1)
    op = registry.get("pool2d")
    attrs = op.complete_attrs({"pooling_type": "max", "ksize": [2, 2], "strides": [2, 2]})
    out, places = op.kernel(x, **op.kernel_attrs(attrs))
    given, found = (
        op.gradient.kernel(x, out.shape, p, out_grad, **op.gradient.kernel_attrs(attrs)) for p in (places, None)
    )
    assert torch.equal(given, found)


def test_dropout_draws_the_same_for_one_seed_and_follows_the_memory_format() -> None:
    op = registry.get("dropout")
    x = image(4, 8, 6, 6).contiguous(memory_format=LAST)
    for prob in (0.5, 0.3):
        attrs = op.kernel_attrs(op.complete_attrs({"dropout_prob": prob}))
        draws = [op.kernel(x, rng=torch.Generator().manual_seed(seed), **attrs)[1] for seed in (1, 1, 2)]
        assert torch.equal(draws[0], draws[1]) and not torch.equal(draws[0], draws[2])
        assert draws[0].is_contiguous(memory_format=LAST)
