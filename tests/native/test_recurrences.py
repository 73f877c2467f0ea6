"""The C++ kernels of lstm and gru compute what the Python code computes, up to the order of sums."""

import itertools
import os
import subprocess
import sys

import pytest
import torch

from refluid.native import call as native
from refluid.ops.registry import get
from refluid.tensor.lod import LoD

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler")

LENGTHS = [[3, 0, 5, 1], [1], [0, 0], [7, 7, 2, 9, 4, 4, 1, 30, 2, 2, 2, 6, 6, 6]]
WIDTHS = [1, 4, 13, 33]  # fewer than a vector has, a whole one of float64, and some with a rest
CLOSE = {torch.float32: {"rtol": 1e-4, "atol": 2e-6}, torch.float64: {"rtol": 1e-10, "atol": 1e-13}}


def numbers(dtype, *shape, scale=1.0):
    return torch.randn(shape, dtype=torch.float64).mul(scale).to(dtype)


def lstm(lengths, width, dtype, reverse, first, other, activations=("sigmoid", "tanh", "tanh")):
    """The results and gradients of lstm; `other`: with peepholes and a gradient of Cell."""
    rows, sequences = sum(lengths), len(lengths)
    names = ("gate_activation", "cell_activation", "candidate_activation")
    attrs = {"use_peepholes": other, "is_reverse": reverse, **dict(zip(names, activations, strict=True))}
    states = [numbers(dtype, sequences, width) if first else None for _ in range(2)]
    inputs = [
        numbers(dtype, rows, 4 * width), LoD.from_lengths([lengths]), *states,
        numbers(dtype, width, 4 * width, scale=0.5 / width**0.5), numbers(dtype, 1, (7 if other else 4) * width),
    ]  # fmt: skip
    grads = [numbers(dtype, rows, width), numbers(dtype, rows, width) if other else None]

    def compute():
        kept = get("lstm").kernel(*inputs, **attrs)
        return [*kept, *get("lstm_grad").kernel(*inputs, *kept, *grads, **attrs)]

    return compute


def gru(lengths, width, dtype, reverse, first, other, activations=("sigmoid", "tanh")):
    """Of gru; `other`: with a bias, in origin_mode."""
    rows = sum(lengths)
    attrs = {"is_reverse": reverse, "origin_mode": other}
    attrs |= dict(zip(("gate_activation", "activation"), activations, strict=True))
    inputs = [
        numbers(dtype, rows, 3 * width), LoD.from_lengths([lengths]),
        numbers(dtype, len(lengths), width) if first else None,
        numbers(dtype, width, 3 * width, scale=0.5 / width**0.5), numbers(dtype, 1, 3 * width) if other else None,
    ]  # fmt: skip
    grad = numbers(dtype, rows, width)

    def compute():
        *kept, hidden = get("gru").kernel(*inputs, **attrs)
        return [*kept, hidden, *get("gru_grad").kernel(*inputs, *kept, grad, **attrs)]

    return compute


def called(monkeypatch):
    """The names of the kernels that are called from now on."""
    names, call = [], native.call
    monkeypatch.setattr(native, "call", lambda name, *rest: (names.append(name), call(name, *rest))[1])
    return names


def check(compute, dtype, monkeypatch):
    with monkeypatch.context() as patch:
        names = called(patch)
        fast = compute()
        assert len(names) == 2, "both passes are the kernel's"
        patch.setattr(native, "available", lambda: False)
        slow = compute()
        assert len(names) == 2, "both passes are Python's"
    for value, expected in zip(fast, slow, strict=True):
        assert (value is None) == (expected is None)
        if value is not None:
            torch.testing.assert_close(value, expected, **CLOSE[dtype], equal_nan=True)


@pytest.mark.parametrize("dtype", list(CLOSE), ids=str)
@pytest.mark.parametrize("unit", [lstm, gru])
def test_kernels_compute_what_python_computes(unit, dtype, monkeypatch):
    torch.manual_seed(0)
    for lengths, width in itertools.product(LENGTHS, WIDTHS):
        if sum(lengths):
            for reverse, first, other in itertools.product((False, True), repeat=3):
                check(unit(lengths, width, dtype, reverse, first, other), dtype, monkeypatch)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("unit", [lstm, gru])
def test_sequences_are_shared_among_threads(unit, threads, monkeypatch):
    torch.manual_seed(1)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    for lengths in ([4], [5, 9, 2], [3, 1, 8, 8, 2, 7, 7]):
        check(unit(lengths, 20, torch.float32, False, True, True), torch.float32, monkeypatch)


_TWO_THREADS = """
import os
import torch
from refluid.native import call as native
from refluid.ops.registry import get
from refluid.tensor.lod import LoD

torch.manual_seed(0)
x, weight, lod = torch.randn(40, 60), torch.randn(20, 60), LoD.from_lengths([[15, 25]])
assert native.available()
torch.mm(torch.randn(500, 500), torch.randn(500, 500))  # torch starts its threads

def threads():
    return len(os.listdir("/proc/self/task"))

def hidden():
    attrs = {"is_reverse": False, "origin_mode": False, "gate_activation": "sigmoid", "activation": "tanh"}
    return get("gru").kernel(x, lod, None, weight, None, **attrs)[-1]

before = threads()
expected = hidden()
print(threads() - before, flush=True)
child = os.fork()
if child == 0:
    os._exit(0 if torch.equal(hidden(), expected) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of a process in /proc")
def test_the_threads_are_those_of_torch_and_a_forked_process_has_its_own():
    """Two sets of threads would take the processors away from one another; threads do not survive a fork."""
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", _TWO_THREADS], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["0", "0"], done.stderr[-2000:]


@pytest.mark.parametrize(
    "kinds", [("relu", "identity", "sigmoid"), ("identity", "relu", "relu"), ("tanh", "sigmoid", "tanh")]
)
def test_every_activation(kinds, monkeypatch):
    torch.manual_seed(2)
    check(lstm([3, 5], 6, torch.float64, True, True, True, kinds), torch.float64, monkeypatch)
    check(gru([3, 5], 6, torch.float64, True, True, True, kinds[:2]), torch.float64, monkeypatch)
    check(gru([3, 5], 9, torch.float32, False, False, True, kinds[1:]), torch.float32, monkeypatch)


@pytest.mark.parametrize("kind", ["sigmoid", "tanh"])
def test_activations_hold_at_the_ends_of_float32(kind):
    x = torch.cat([torch.linspace(-110, 110, 4001), torch.logspace(-30, 1, 500), -torch.logspace(-30, 1, 500)])
    x = torch.cat([x, torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0])])
    rows, width = len(x), 1
    parts = torch.zeros(rows, 4 * width)
    parts[:, 0], parts[:, 1] = x, 1e4  # c = activation(x) * 1 in sequences of one step
    lod = LoD.from_lengths([[1] * rows])
    kinds = {"gate_activation": "sigmoid", "cell_activation": "identity", "candidate_activation": kind}
    _, cell, *_ = get("lstm").kernel(
        parts, lod, None, None, torch.zeros(1, 4), torch.zeros(1, 4), use_peepholes=False, is_reverse=False, **kinds
    )
    expected = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}[kind](x.double())
    torch.testing.assert_close(cell[:, 0].double(), expected, rtol=4e-7, atol=1e-37, equal_nan=True)


def test_autograd_goes_through_python(monkeypatch):
    """Gradients of gradients replay the operator under torch's autograd, which sees nothing of a kernel in C++."""
    names = called(monkeypatch)
    x, weight = torch.randn(5, 8, requires_grad=True), torch.randn(2, 8)
    attrs = {"use_peepholes": False, "is_reverse": False, "gate_activation": "sigmoid", "cell_activation": "tanh"}
    hidden, *_ = get("lstm").kernel(
        x, LoD.from_lengths([[3, 2]]), None, None, weight, torch.zeros(1, 8), candidate_activation="tanh", **attrs
    )
    assert hidden.requires_grad
    assert not names
