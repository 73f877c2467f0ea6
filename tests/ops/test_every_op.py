"""Every row of every row file in this folder, taken through forward, inference, gradients and both modes."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
import torch

from refluid.core import dtypes
from refluid.core.errors import EnforceNotMet
from refluid.ops import registry
from refluid.ops.checks import check_dtypes
from refluid.ops.derive import is_derived, replayed
from refluid.ops.infer import Spec, infer
from refluid.tensor.lod import LoD
from refluid.tensor.selected_rows import SelectedRows
from tests.ops import cases
from tests.ops.both_modes import build_static, call_imperative, run_imperative, run_static
from tests.ops.calls import Call, ask, call, close, each, numpy_of
from tests.ops.cases import NOT_RECORDED, REFUSALS, ROWS, Ragged, Refusal, Row

# Operators without a row of their own, with the reason.
WITHOUT_ROW: dict[str, str] = {
    "py_func": "its outputs are what the caller declares; io/test_py_func.py shows what it gives",
    **dict.fromkeys(
        ("write_to_array", "read_from_array", "lod_array_length", "tensor_array_to_tensor"),
        "arrays are made by programs; tests/executor/test_blocks.py and tests/layers/test_arrays.py run them",
    ),
    **dict.fromkeys(
        (
            "lod_rank_table",
            "max_sequence_len",
            "lod_tensor_to_array",
            "array_to_lod_tensor",
            "shrink_rnn_memory",
            "reorder_lod_tensor_by_rank",
            "reorder_lod_tensor_by_rank_grad",
        ),
        "rank tables are made by programs; tests/layers/test_dynamic_rnn.py runs them",
    ),
    "get_places": "its result is a list of places; io/test_get_places.py runs it",
    "beam_search_decode": "its inputs are arrays; tests/layers/test_decoding.py runs it",
    "select_output": "plans write it inline; tests/layers/test_split_and_select.py runs it",
}

# Operators whose written gradient is not differentiated again (Fluid does not either), with the reason.
READS = "the rule reads a saved output as if it were a constant"
ONCE = {
    "center_loss": READS, "cos_sim": READS, "cross_entropy2": READS, "huber_loss": READS, "lrn": READS,
    "modified_huber_loss": READS, "norm": READS, "smooth_l1_loss": READS, "softmax_with_cross_entropy": READS,
    "hierarchical_sigmoid": READS, "nce": READS, "gru": READS, "gru_unit": READS, "inplace_abn": READS,
    "linear_chain_crf": READS, "lstm": READS, "warpctc": READS,
    "cudnn_lstm": "the rule runs the operator again under autograd",
}  # fmt: skip

BROKEN: dict[str, Exception] = {}
FILES = sorted(p for p in cases.HERE.glob("*/*.py") if p.name != "__init__.py" and not p.name.startswith("test_"))
for path in FILES:
    try:
        importlib.import_module(f"tests.ops.{path.parent.name}.{path.stem}")
    except Exception as error:  # told by its own test, so that one bad file does not hide the others
        BROKEN[path.relative_to(cases.HERE).as_posix()] = error


def rows(wanted: Any = lambda row: True) -> Any:
    return pytest.mark.parametrize("row", [pytest.param(r, id=r.where) for r in ROWS if wanted(r)])


def has_gradient(row: Row) -> bool:
    op = registry.find(row.op)
    if not row.grad or op is None or not op.has_gradient or op.gradient is None:
        return False
    try:
        return bool(Call(row).grad_slots())
    except Exception:  # a bad row; let its tests tell
        return True


def has_written_gradient(row: Row) -> bool:
    return has_gradient(row) and not is_derived(registry.get(row.op).gradient)


@pytest.mark.parametrize("file", [p.relative_to(cases.HERE).as_posix() for p in FILES])
def test_row_file_can_be_read(file: str) -> None:
    if file in BROKEN:
        raise BROKEN[file]


def test_every_fixture_is_recorded() -> None:
    assert not NOT_RECORDED, f"not in tests/fixtures/ops: {', '.join(NOT_RECORDED)}"


def test_every_operator_has_a_row_that_compares_its_result() -> None:
    # Operators that live beside a feature (blocks, files, communication) have their tests there.
    known = {t: registry.get(t) for t in registry.all_types()}
    forward = {t for t, op in known.items() if op.forward is None and op.kernel.__module__.startswith("refluid.ops.")}
    missing = forward - {row.op for row in ROWS if row.compared} - set(WITHOUT_ROW)
    assert not missing, f"{len(missing)} operators without a row: {', '.join(sorted(missing))}"
    assert not set(WITHOUT_ROW) - forward, "listed as without a row, but not registered"


# -- (a) forward --------------------------------------------------------------------------------------------------


@rows()
def test_forward(row: Row) -> None:
    one = Call(row)
    check_dtypes(one.op, one.values)
    before = each(lambda v: numpy_of(v).copy(), one.values)
    outs = one.forward()
    assert len(outs) == len(one.op.outputs)
    found = dict(zip((slot.name for slot in one.op.outputs), outs))
    for slot, wanted in one.expected().items():
        close(found[slot], wanted, row.tol, slot)
        if row.recorded:
            _same_dtypes(found[slot], row.recorded["outputs"][slot], slot)
    if row.check is not None:
        names = {slot.param: each(numpy_of, out) for slot, out in zip(one.op.outputs, outs)}
        assert ask(row.check, {**one.named(), **names}), "check says no"
    for slot, old, new in zip(one.op.inputs, before, one.values):
        _unchanged(old, each(numpy_of, new), slot.name)


def _same_dtypes(found: Any, wanted: Any, slot: str) -> None:
    for one, other in zip(*(v if isinstance(v, list) else [v] for v in (found, wanted))):
        data = other.data if isinstance(other, Ragged) else other
        assert dtypes.TORCH_NAME[one.dtype] == str(data.dtype), f"{slot} is {one.dtype}, in Fluid {data.dtype}"


def _unchanged(old: Any, new: Any, slot: str) -> None:
    for one, other in zip(*(v if isinstance(v, list) else [v] for v in (old, new))):
        assert one is None or np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), f"{slot} was modified"


@rows()
def test_what_shares_memory_with_an_input_is_declared(row: Row) -> None:
    """Plans rely on it: an update overwrites a parameter, and with it the views of that; see `views` in OpDef."""
    one = Call(row)
    slot_of: dict[int, int] = {}
    for slot, value in enumerate(one.values):
        each(lambda v, slot=slot: slot_of.setdefault(_memory(v), slot), value)
    slot_of.pop(0, None)
    for place, out in enumerate(one.forward()):
        shared: list[int] = []
        each(lambda v, shared=shared: shared.append(_memory(v)), out)
        for slot in {slot_of[memory] for memory in shared if memory in slot_of and place not in one.op.inplace}:
            assert slot in one.op.views, f"{one.op.outputs[place].name} may be a view of {one.op.inputs[slot].name}"
            assert not one.op.fresh, "an operator with fresh outputs returns an input, or a view of one"


def _memory(value: Any) -> int:
    """The address of a tensor's memory; 0 if it has none."""
    value = value.value if isinstance(value, SelectedRows) else value
    return value.untyped_storage().data_ptr() if isinstance(value, torch.Tensor) and value.numel() else 0


@rows(lambda row: row.expect_lod is not None or row.recorded)
def test_lod(row: Row) -> None:
    one = Call(row)
    found = dict(zip((slot.name for slot in one.op.outputs), one.out_lods()))
    if row.recorded:
        for slot, value in row.recorded["outputs"].items():
            for i, wanted in enumerate(value if isinstance(value, list) else [value]):
                lod = found[slot][i] if isinstance(found[slot], list) else found[slot]
                assert (lod.lengths() if lod else []) == _recorded_lod(wanted), slot
        return
    wanted = row.expect_lod if isinstance(row.expect_lod, dict) else {one.op.outputs[0].name: row.expect_lod}
    for slot, lengths in wanted.items():
        if isinstance(lengths, str):
            assert found[slot] == one.lods[one.op.input_index[lengths]], slot
        else:
            assert (found[slot].lengths() if isinstance(found[slot], LoD) else found[slot] or []) == lengths, slot


def _recorded_lod(value: Any) -> list:
    return value.lengths if isinstance(value, Ragged) else []


# -- (b) inference ------------------------------------------------------------------------------------------------


@rows()
def test_inferred_shape_and_dtype(row: Row) -> None:
    one = Call(row)
    outs = one.forward()
    _specs_fit(infer(one.op, one.specs(), one.attrs), outs, one, exact=one.op.rules.infer is None)
    hidden = _batch_slots(row, one)
    if hidden:
        _specs_fit(infer(one.op, one.specs(hidden), one.attrs), outs, one, exact=False)


def _batch_slots(row: Row, one: Call) -> list[str]:
    """The slots whose first axis may be -1: those that the row names, else all if it has the same size in all."""
    if row.batch is not None:
        return row.batch.split()
    flat = [s for spec in one.specs() for s in (spec if isinstance(spec, list) else [spec]) if s is not None]
    return [slot.name for slot in one.op.inputs] if len({spec.shape[:1] for spec in flat}) == 1 else []


def _specs_fit(specs: list[Any], outs: list[Any], one: Call, exact: bool) -> None:
    def fits(spec: Spec | None, out: Any, slot: str) -> None:
        if not isinstance(out, torch.Tensor | SelectedRows):
            return  # a dispensable output that was not made
        assert spec is not None, f"{slot}: inference says that there is none"
        data = out.value if isinstance(out, SelectedRows) else out
        shape = tuple(data.shape) if data is out else (out.n_rows, *data.shape[1:])
        assert shape, f"{slot} is 0-d, which Fluid does not have"
        assert spec.dtype == data.dtype, f"{slot}: inferred {spec.dtype}, got {data.dtype}"
        same = len(spec.shape) == len(shape) and all(
            m == n or (m == -1 and not exact) for m, n in zip(spec.shape, shape)
        )
        assert same, f"{slot}: inferred {list(spec.shape)}, got {list(shape)}"

    assert len(specs) == len(outs)
    for slot, spec, out in zip(one.op.outputs, specs, outs):
        if isinstance(out, list | tuple):
            assert len(spec) == len(out), f"{slot.name}: inferred {len(spec)} outputs, got {len(out)}"
            for i, (s, o) in enumerate(zip(spec, out)):
                fits(s, o, f"{slot.name}[{i}]")
        else:
            fits(spec, out, slot.name)


# -- (c) the written gradient against the derived one -------------------------------------------------------------


@rows(has_written_gradient)
def test_written_gradient_is_the_derived_one(row: Row) -> None:
    one = Call(row, floats=None if row.recorded else torch.float64)
    outs = one.forward()
    out_grads = one.out_grads(outs)
    written, derived = one.op.gradient, replayed(one.op)
    expected = one.backward(derived, outs, out_grads, [True] * len(derived.outputs))
    names = one.grad_names()
    slots = [slot.name.removesuffix("@GRAD") for slot in written.outputs]
    wanted = [name in names for name in slots]
    before = each(lambda v: numpy_of(v).copy(), [one.values, outs, out_grads])
    for needs in [wanted, *([s == name for s in slots] for name in names if len(slots) > 1)]:
        found = one.backward(written, outs, out_grads, needs)
        for name in (s for s, need in zip(slots, needs) if need):
            close(found[name], expected[name], max(row.tol, 1e-5), f"gradient of {name}, needs={needs}")
    after = each(numpy_of, [one.values, outs, out_grads])
    assert all(_same(a, b) for a, b in zip(before, after)), "the gradient modifies what it reads"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return all(map(_same, one, other))
    return one is None or np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@rows(lambda row: row.op not in ONCE and not row.recorded and has_written_gradient(row))
def test_written_gradient_has_a_gradient(row: Row) -> None:
    """Gradients of gradients replay the written rule, so it must be made of what torch can differentiate."""
    one = Call(row, floats=torch.float64)
    outs = one.forward()
    out_grads = one.out_grads(outs)
    written = one.op.gradient
    needs = tuple(slot.name.removesuffix("@GRAD") in one.grad_names() for slot in written.outputs)
    generator = torch.Generator().manual_seed(17)

    def gradients(values: list[Any]) -> list[Any]:
        """What the written rule gives for inputs other than the row's."""
        reads, lods = one.reads(written, one.forward(values), out_grads, values)
        return call(written, reads, lods, one.attrs, needs)

    found = gradients(one.values)
    if any(isinstance(g, SelectedRows) for grad in found for g in (grad if isinstance(grad, list) else [grad])):
        return  # a sparse gradient depends on nothing but indices and the gradients of outputs
    weights = [each(lambda g: _direction(g, generator), g) if need else None for g, need in zip(found, needs)]
    second = _second(one, written, outs, out_grads, weights)
    for i in one.grad_slots():
        name, way = one.op.inputs[i].name, each(lambda v: _direction(v, generator), one.values[i])
        ahead, back = (
            _dot(gradients([_moved(v, way, sign * STEP) if k == i else v for k, v in enumerate(one.values)]), weights)
            for sign in (1, -1)
        )
        slope = (ahead - back) / (2 * STEP)
        assert slope == pytest.approx(_dot([second.get(name)], [way]), rel=1e-4, abs=max(row.tol, 1e-6)), name


def _second(one: Call, written: Any, outs: list[Any], out_grads: list[Any], weights: list[Any]) -> dict[str, Any]:
    """The gradients of the weighted results of the written rule, by input slot of the forward operator.

    As in a program: what reaches an output goes on through the forward operator's own gradient.
    """
    reads, lods = one.reads(written, outs, out_grads)
    values = {p.slot for p in written.params if p.kind == "value"}
    wanted = tuple(i in values and _all_floating(reads[i]) for i in written.differentiable)
    given = call(replayed(written), [*reads, *weights], [*lods, *[None] * len(weights)], one.attrs, wanted)
    direct = {written.inputs[i].name: g for i, g, want in zip(written.differentiable, given, wanted) if want}
    reached = [
        direct.get(slot.name, None if i in one.op.nograd_outputs else each(torch.zeros_like, out))
        for i, (slot, out) in enumerate(zip(one.op.outputs, outs))
    ]
    through = replayed(one.op)
    passed = one.backward(through, outs, reached, [True] * len(through.outputs))
    return {name: _plus(passed[name], direct.get(name)) for name in one.grad_names()}


def _plus(one: Any, other: Any) -> Any:
    if isinstance(one, list):
        return [_plus(a, b) for a, b in zip(one, other or [None] * len(one))]
    return other if one is None else one if other is None else one + other


def _direction(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.empty_like(like).uniform_(-1, 1, generator=generator)


def _all_floating(value: Any) -> bool:
    flat = value if isinstance(value, list) else [value]
    return bool(flat) and all(isinstance(v, torch.Tensor) and v.is_floating_point() for v in flat)


# -- (d) the derived gradient against finite differences, or what Fluid recorded ------------------------------------

STEP = 1e-5


@rows(lambda row: not row.recorded and has_gradient(row))
def test_derived_gradient_is_the_slope(row: Row) -> None:
    """Along random directions: two per input catch what a sweep over all elements would."""
    one = Call(row, floats=torch.float64)
    outs = one.forward()
    out_grads = one.out_grads(outs)
    derived = replayed(one.op)
    grads = one.backward(derived, outs, out_grads, [True] * len(derived.outputs))
    generator = torch.Generator().manual_seed(13)

    def weighted(values: list[Any]) -> float:
        return _dot(one.forward(values), out_grads)

    for i in one.grad_slots():
        name = one.op.inputs[i].name
        for _ in range(2):
            way = each(lambda v: _direction(v, generator), one.values[i])
            ahead, back = (
                weighted([_moved(v, way, sign * STEP) if k == i else v for k, v in enumerate(one.values)])
                for sign in (1, -1)
            )
            slope = (ahead - back) / (2 * STEP)
            assert slope == pytest.approx(_dot([grads[name]], [way]), rel=1e-4, abs=max(row.tol, 1e-6)), name


def _dot(values: Any, weights: Any) -> float:
    pairs = zip(values, weights)
    return sum(
        _dot(v, w) if isinstance(v, list | tuple) else float((v.double() * w.double()).sum())
        for v, w in pairs
        if w is not None and v is not None
    )


def _moved(value: Any, way: Any, step: float) -> Any:
    if isinstance(value, list):
        return [_moved(v, w, step) for v, w in zip(value, way)]
    return value + step * way


@rows(lambda row: bool(row.recorded.get("grads")) and has_gradient(row))
def test_gradient_is_what_fluid_recorded(row: Row) -> None:
    one = Call(row)
    outs = one.forward()
    given = {slot: each(_as_tensor, value) for slot, value in row.recorded["out_grads"].items()}
    # Fluid had no gradient for the other outputs; the engine gives zeros for those.
    out_grads = [
        given.get(slot.name, each(torch.zeros_like, out)) for slot, out in zip(one.op.outputs, outs, strict=True)
    ]
    gradient = one.op.gradient
    found = one.backward(gradient, outs, out_grads, [True] * len(gradient.outputs))
    for slot, wanted in row.recorded["grads"].items():
        data = each(lambda v: v.data if isinstance(v, Ragged) else v, wanted)
        close(found[slot], data, max(row.tol, 1e-5), f"gradient of {slot}")


def _as_tensor(value: Any) -> torch.Tensor:
    return torch.from_numpy(np.array(value.data if isinstance(value, Ragged) else value))


# -- (e) static against imperative, and both against the kernel ----------------------------------------------------


@rows(lambda row: row.modes)
def test_both_modes(row: Row) -> None:
    one = Call(row)
    outs = one.forward()
    out_grads = one.out_grads(outs) if has_gradient(row) else None
    static, imperative = run_static(one, outs, out_grads), run_imperative(one, out_grads)
    drawn = one.op.random is not None
    same_numbers = not drawn or bool(one.attrs.get("seed"))  # without a seed, each mode draws its own
    for i, slot in enumerate(one.op.outputs):
        _alike(static.outs[i], imperative.outs[i], row.tol if same_numbers else None, slot.name)
        if not drawn:
            _alike(static.outs[i], outs[i], row.tol, f"{slot.name} of the kernel")
    assert static.lods == imperative.lods == _as_lists(one.out_lods(), outs)
    if out_grads is not None and not drawn:
        expected = one.backward(one.op.gradient, outs, out_grads, [True] * len(one.op.gradient.outputs))
        for slot, grad in static.grads.items():
            _alike(imperative.grads[slot], grad, row.tol, f"gradient of {slot}, imperative and static")
            _alike(grad, expected[slot], row.tol, f"gradient of {slot}, static and kernel")


def _alike(found: Any, wanted: Any, tol: float | None, what: str) -> None:
    """Equal in kind, shape, dtype and (unless tol is None) numbers."""
    if isinstance(wanted, list | tuple):
        assert len(found) == len(wanted), what
        for i, (one, other) in enumerate(zip(found, wanted)):
            _alike(one, other, tol, f"{what}[{i}]")
        return
    assert type(found) is type(wanted), f"{what}: {type(found).__name__} and {type(wanted).__name__}"
    if isinstance(wanted, torch.Tensor):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), what
    if wanted is not None and tol is not None:
        close(found, numpy_of(wanted), tol, what)


def _as_lists(lods: list[Any], outs: list[Any]) -> list[Any]:
    """One LoD per output, also where a slot has many."""
    return [
        None
        if out is None
        else lod
        if not isinstance(out, list | tuple)
        else lod
        if isinstance(lod, list)
        else [lod] * len(out)
        for lod, out in zip(lods, outs)
    ]


# -- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [pytest.param(r, id=r.where) for r in REFUSALS])
def test_refused(row: Refusal) -> None:
    """By the kernel on real data; and where inference refuses too, in the same words."""
    with pytest.raises(EnforceNotMet) as refused:
        _named(row.op, lambda: _run(row))
    assert row.says in str(refused.value)
    try:
        _named(row.op, lambda: _infer(row))
    except EnforceNotMet as error:
        assert row.says in str(error)


@pytest.mark.parametrize("mode", [build_static, call_imperative])
@pytest.mark.parametrize("row", [pytest.param(r, id=r.where) for r in REFUSALS])
def test_refused_in_both_modes(row: Refusal, mode: Any) -> None:
    with pytest.raises(EnforceNotMet) as refused:
        mode(Call(row, complete=False))
    assert row.says in str(refused.value)
    assert str(refused.value).startswith(row.op + ": ")


def _run(row: Refusal) -> None:
    one = Call(row)
    check_dtypes(one.op, one.values)
    call(one.op, one.values, one.lods, one.attrs)


def _infer(row: Refusal) -> None:
    one = Call(row)
    check_dtypes(one.op, one.values)
    infer(one.op, one.specs(), one.attrs)


def _named(op_type: str, run: Any) -> None:
    try:
        run()
    except EnforceNotMet as error:
        raise error.within(op_type, []) from None
