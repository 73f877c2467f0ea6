"""One fused call for many parameters does what one call per parameter does."""

from __future__ import annotations

import pytest
import torch

import refluid.ops  # noqa: F401  registers every operator
from refluid.ops.registry import get

CHANNELS_LAST = torch.channels_last
KINDS = [
    ("sgd", {}),
    ("momentum", {"mu": 0.9}),
    ("momentum", {"mu": 0.9, "use_nesterov": True}),
    ("lars_momentum", {"mu": 0.9, "lars_weight_decay": 0.1}),
    ("adagrad", {"epsilon": 0.1}),
    ("adam", {"beta1": 0.8, "beta2": 0.9, "epsilon": 0.1}),
]
SHAPES = [(4,), (3, 5), (2, 3, 4, 4), (2, 3, 4, 4), (6, 1)]


def drawn(name: str, shape: tuple, generator: torch.Generator, dtype: torch.dtype) -> torch.Tensor:
    if name in ("Param", "Grad", "Velocity", "Moment", "Moment1", "Moment2"):
        return torch.rand(shape, generator=generator, dtype=dtype)
    return torch.tensor([{"LearningRate": 0.1, "Beta1Pow": 0.64, "Beta2Pow": 0.81}[name]])


def lists(op, dtype=torch.float32) -> list:
    generator = torch.Generator().manual_seed(3)
    return [
        None if slot.dispensable else [drawn(slot.name, shape, generator, dtype) for shape in SHAPES]
        for slot in op.inputs
    ]


def copies(values: list) -> list:
    return [slot and [value.clone() for value in slot] for slot in values]


def agree(op, given: list, attrs: dict) -> None:
    """Fused against plain arithmetic: the reference works on contiguous copies, one parameter at a time."""
    fused, single = copies(given), [slot and [v.contiguous() for v in slot] for slot in copies(given)]
    op.rules.fused(*fused, **attrs)
    for i in range(len(SHAPES)):
        op.kernel(*(slot and slot[i] for slot in single), **attrs)
    for slot, ours, theirs in zip(op.inputs, fused, single, strict=True):
        for one, other in zip(ours or [], theirs or [], strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6, msg=lambda m, s=slot: f"{s.name}: {m}")


fused_ops = pytest.mark.parametrize("name, attrs", KINDS)


@fused_ops
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_fused_is_one_by_one(name, attrs, dtype):
    op = get(name)
    agree(op, lists(op, dtype), attrs)


@fused_ops
def test_rates_and_powers_may_differ(name, attrs):
    op = get(name)
    given = lists(op)
    for slot in ("LearningRate", "Beta1Pow", "Beta2Pow"):
        if slot in op.input_index:
            given[op.input_index[slot]] = [torch.tensor([0.1 + 0.1 * (i % 2)]) for i in range(len(SHAPES))]
    agree(op, given, attrs)


@fused_ops
@pytest.mark.parametrize("slots", ["Param Velocity Moment Moment1 Moment2", "Param", "Grad", "Velocity Moment Moment2"])
def test_memory_formats_may_differ(name, attrs, slots):
    op = get(name)
    given = lists(op)
    for slot in slots.split():
        if slot in op.input_index:
            values = given[op.input_index[slot]]
            values[2] = values[2].contiguous(memory_format=CHANNELS_LAST)
    agree(op, given, attrs)


@fused_ops
def test_a_gradient_may_be_an_expanded_scalar(name, attrs):
    op = get(name)
    given = lists(op)
    given[op.input_index["Grad"]][1] = torch.tensor(0.5).expand(3, 5)
    fused, plain = copies(given), copies(given)
    fused[op.input_index["Grad"]][1] = torch.tensor(0.5).expand(3, 5)
    op.rules.fused(*fused, **attrs)
    op.rules.fused(*plain, **attrs)
    torch.testing.assert_close(fused, plain)


def test_adam_takes_betas_as_tensors():
    op = get("adam")
    given, fixed = lists(op), lists(op)
    given[-2], given[-1] = ([torch.tensor([b])] * len(SHAPES) for b in (0.7, 0.8))
    op.rules.fused(*given)
    op.rules.fused(*fixed, beta1=torch.tensor(0.7).item(), beta2=torch.tensor(0.8).item())
    torch.testing.assert_close(given[:-2], fixed[:-2])


def test_the_bias_correction_of_torch_is_out_of_the_way():
    param, grad = torch.ones(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    state = [torch.zeros(1, dtype=torch.float64) for _ in range(2)]
    powers = [torch.tensor([b], dtype=torch.float64) for b in (0.9, 0.999)]
    get("adam").kernel(param, grad, torch.tensor([0.5], dtype=torch.float64), *state, *powers)
    expected = 1 - 0.5 * (0.001**0.5) / 0.1 * (0.1 / (0.001**0.5 + 1e-8))
    assert param.item() == pytest.approx(expected, rel=1e-14)
