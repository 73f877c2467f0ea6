"""The words that a row file is written in; test_every_op.py takes every row through its tests.

    case("leaky_relu", X=rand(3, 4, away_from=0), alpha=0.1, expect=lambda X, alpha: np.maximum(X, alpha * X))
    refuse("leaky_relu", X=ints(3), says="leaky_relu: X must be floating point, got int64")
    fixture("leaky_relu")

Names of the operator's input slots are inputs, all others attributes. Data are drawn from generators seeded by the row
file's name and how many it has drawn before, so every run sees the same.
"""

from __future__ import annotations

import json
import math
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures" / "ops"

ROWS: list[Row] = []
REFUSALS: list[Refusal] = []
NOT_RECORDED: list[str] = []
_seen: Counter[str] = Counter()
_drawn: Counter[str] = Counter()


class Ragged(NamedTuple):
    """An input with a LoD; `lengths` is one list per level, outermost first."""

    data: np.ndarray
    lengths: list[list[int]]


class Sparse(NamedTuple):
    """An input that is a SelectedRows."""

    index: list[int]
    data: np.ndarray
    height: int

    @property
    def dense(self) -> np.ndarray:
        whole = np.zeros((self.height, *self.data.shape[1:]), self.data.dtype)
        np.add.at(whole, self.index, self.data)
        return whole


@dataclass
class Row:
    op: str
    given: dict[str, Any]
    where: str
    expect: Callable[..., Any] | None = None
    check: Callable[..., bool] | None = None
    expect_lod: Any = None
    grad: bool = True
    tol: float = 1e-5
    grad_inputs: str | None = None
    batch: str | None = None
    modes: bool = True
    recorded: dict[str, Any] = field(default_factory=dict)

    @property
    def compared(self) -> bool:
        return self.expect is not None or self.check is not None or bool(self.recorded)


@dataclass
class Refusal:
    op: str
    given: dict[str, Any]
    where: str
    says: str


def case(
    op: str,
    /,
    *,
    expect: Any = None,
    check: Callable[..., bool] | None = None,
    expect_lod: Any = None,
    grad: bool = True,
    tol: float = 1e-5,
    grad_inputs: str | None = None,
    batch: str | None = None,
    modes: bool = True,
    why: str | None = None,
    **given: Any,
) -> None:
    """One call of an operator.

    Args:
        expect: the result, or a function of the slots and attributes (as many as it names, numpy; `X_lod` gives the
            lengths of X). An array is the first output; a dict names slots; a tuple is in the order of the outputs,
            None for what is not compared; a list is the values of one duplicable slot.
        check: a function of outputs, inputs and attributes (as many as it names) that says whether all is well; for
            random operators.
        expect_lod: the LoD of the first output, or a dict by slot: a slot's name ("as X's"), lengths, or [] for none.
        grad: False leaves the gradients untested and needs `why`.
        tol: relative and absolute tolerance.
        grad_inputs: the slots, separated by blanks, whose gradients are tested; all floating ones by default.
        batch: the slots whose first axis is also inferred as -1 ("": none); by default all if it has one size in all.
        modes: False leaves static against imperative untested and needs `why`.
    """
    if not (grad and modes) and not why:
        raise ValueError(f"{op}: grad=False and modes=False need a reason: why='...'")
    if expect is not None and not callable(expect):
        constant = expect
        expect = lambda: constant  # noqa: E731
    ROWS.append(Row(op, given, _where(op), expect, check, expect_lod, grad, tol, grad_inputs, batch, modes))


def refuse(op: str, /, *, says: str, **given: Any) -> None:
    """A call that must be refused with a message that has `says` in it; the message starts with the op's name."""
    REFUSALS.append(Refusal(op, given, _where(op), says))


def fixture(
    op: str, /, *, tol: float = 1e-5, skip: dict[int, str] | None = None, why: str | None = None, **options: Any
) -> None:
    """Every case of tests/fixtures/ops/<op>.json, recorded from Fluid 1.8.5.

    `skip` gives reasons by case number. Other options are those of `case`; grad=False and modes=False need `why`.
    """
    if not (options.get("grad", True) and options.get("modes", True)) and not why:
        raise ValueError(f"{op}: grad=False and modes=False need a reason: why='...'")
    file = FIXTURES / f"{op}.json"
    if not file.exists():
        NOT_RECORDED.append(_where(op))
        return
    for number, recorded in enumerate(json.loads(file.read_text())):
        where = _where(op)
        if number in (skip or {}):
            continue
        given = {**recorded["attrs"], **{slot: _stored(value) for slot, value in recorded["inputs"].items()}}
        known = {key: {slot: _stored(v) for slot, v in recorded.get(key, {}).items()} for key in PARTS}
        ROWS.append(Row(op, given, where, tol=tol, recorded=known, **options))


PARTS = ("outputs", "out_grads", "grads")


# -- data ---------------------------------------------------------------------------------------------------------


def rand(
    *shape: int,
    low: float = -1.0,
    high: float = 1.0,
    away_from: float | None = None,
    dtype: str = "float64",
    seed: int | None = None,
) -> np.ndarray:
    """Uniform random numbers; none within 0.1 of `away_from`, where a kink of the function is."""
    values = _generator(seed).uniform(low, high, shape)
    if away_from is not None:
        distance = values - away_from
        values = np.where(np.abs(distance) < 0.1, away_from + np.where(distance < 0, -0.1, 0.1) + distance, values)
    return values.astype(dtype)


def spread(*shape: int, step: float = 0.25, dtype: str = "float64", seed: int | None = None) -> np.ndarray:
    """Distinct numbers in random order, none within step/2 of another or of zero: for maxima and sorting."""
    count = math.prod(shape)
    values = (np.arange(count) - count // 2 + 0.5) * step
    return _generator(seed).permutation(values).reshape(shape).astype(dtype)


def ints(*shape: int, low: int = 0, high: int = 10, dtype: str = "int64", seed: int | None = None) -> np.ndarray:
    """Random integers from low to high - 1."""
    return _generator(seed).integers(low, high, shape).astype(dtype)


def bools(*shape: int, seed: int | None = None) -> np.ndarray:
    return _generator(seed).integers(0, 2, shape).astype(bool)


def ragged(
    lengths: list[list[int]],
    width: int | tuple[int, ...] | None = None,
    dtype: str = "float64",
    low: float | None = None,
    high: float | None = None,
    data: np.ndarray | None = None,
    distinct: bool = False,
) -> Ragged:
    """Rows that group into sequences: [total length], or [total length, width], or [total length, *width].

    The data are random unless given; `distinct` draws them as `spread` does.
    """
    if data is None:
        sizes = () if width is None else (width,) if isinstance(width, int) else tuple(width)
        shape = (sum(lengths[-1]), *sizes)
        seed = _next_seed()
        if np.dtype(dtype).kind in "iu":
            data = ints(*shape, low=int(low or 0), high=int(10 if high is None else high), dtype=dtype, seed=seed)
        elif distinct:
            data = spread(*shape, dtype=dtype, seed=seed)
        else:
            low, high = -1.0 if low is None else low, 1.0 if high is None else high
            data = rand(*shape, low=low, high=high, dtype=dtype, seed=seed)
    return Ragged(np.asarray(data), [list(level) for level in lengths])


def sparse(index: list[int], width: int, height: int, dtype: str = "float64", data: np.ndarray | None = None) -> Sparse:
    """A SelectedRows: row index[i] of a tensor [height, width] is the i-th row of random data."""
    if data is None:
        data = rand(len(index), width, dtype=dtype, seed=_next_seed())
    return Sparse(list(index), data, height)


def _generator(seed: int | None) -> np.random.Generator:
    return np.random.default_rng(_next_seed() if seed is None else seed)


def _row_file() -> tuple[str, int]:
    """The row file that is being read, relative to tests/ops, and its line."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__:
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    return path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else path.name, frame.f_lineno


def _next_seed() -> int:
    name, _ = _row_file()
    _drawn[name] += 1
    return zlib.crc32(f"{name} {_drawn[name]}".encode())


def _where(op: str) -> str:
    """The row's name in test reports: the operator, the file and the line, and which one of several on that line."""
    name, line = _row_file()
    where = f"{op}-{name}:{line}"
    _seen[where] += 1
    return where if _seen[where] == 1 else f"{where}#{_seen[where]}"


def _stored(value: Any) -> Any:
    if isinstance(value, list):
        return [_stored(one) for one in value]
    data = np.array(value["data"], value["dtype"]).reshape(value["shape"])
    return Ragged(data, value["lod"]) if value["lod"] else data
