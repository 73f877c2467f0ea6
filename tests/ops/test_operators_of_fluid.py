"""Every operator of Fluid 1.8.5 is here, with its slots, attributes and defaults, or is listed with a reason."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import paddle  # noqa: F401  # registers the operators that live beside a feature
from refluid.core.errors import EnforceNotMet
from refluid.ops import registry

FIXTURES = Path(__file__).parent.parent / "fixtures"
RECORDED = json.loads((FIXTURES / "op_protos.json").read_text())
PROTOS: dict[str, Any] = RECORDED["operators"]
DEFAULTS: dict[str, dict[str, list]] = json.loads((FIXTURES / "op_defaults.json").read_text())

CLOSED = "asks a server of Baidu's (BoxPS, PSLib) that 1.8.5's own packages lack"
LEFT_OUT: dict[str, str] = {
    "fl_listen_and_serv": "a server for federated learning, which no function of 1.8.5 writes",
    **dict.fromkeys(
        (
            "pull_box_sparse", "pull_sparse", "pull_sparse_v2", "push_box_sparse", "push_dense", "push_sparse",
            "push_sparse_v2",
        ),
        CLOSED,
    ),
    "run_program": "how 1.8.5's imperative mode runs a translated function; here jit/partial.py does",
    "run_program_grad": "as run_program",
}  # fmt: skip

# Slots that differ, with the reason: `+X` is only here, `-X` only in Fluid.
SLOTS_THAT_DIFFER: dict[str, tuple[str, str]] = {
    "conv2d": ("-ResidualData", "read by oneDNN's kernels alone; conv2d_fusion has it"),
    "depthwise_conv2d": ("-ResidualData", "read by oneDNN's kernels alone"),
    "conv3d": ("-ResidualData +Bias", "read by oneDNN's kernels alone; a bias fused in, as conv2d has it"),
    "conv3d_transpose": ("+Bias", "a bias fused in, as conv2d_transpose has it"),
    "fake_quantize_range_abs_max": ("+InScales", "the window, which Fluid reads and writes as one output"),
    "save": ("-kLookupTablePath", "where a parameter server keeps a table"),
    "save_combine": ("-Y", "a file in memory; fluid.io writes those itself"),
    "write_to_array": ("+Array", "what the array holds so far, which the engine hands over"),
}

# Attributes with other defaults, with the reason.
DEFAULTS_THAT_DIFFER: dict[tuple[str, str], str] = {
    ("trilinear_interp", "interp_method"): "Fluid's default is bilinear, which leaves a volume's result undefined",
    ("cudnn_lstm", "seed"): "-1 in Fluid; both mean that there is none",
}
ATTRS_LEFT_OUT = {
    ("load_combine", "model_from_memory"): "a file in memory; the predictor reads those itself",
    ("save_combine", "save_to_memory"): "a file in memory; fluid.io writes those itself",
}


def find(kind: str) -> Any:
    """The operator; a gradient whose own gradient is refused exists all the same."""
    try:
        return registry.find(kind)
    except EnforceNotMet:
        return registry.get(kind.removesuffix("_grad"))


HERE = [kind for kind in PROTOS if kind not in LEFT_OUT]


def test_every_operator_exists_but_those_that_are_left_out_for_a_reason() -> None:
    types = sorted({*PROTOS, *RECORDED["kernels"]})
    missing = {kind for kind in types if find(kind) is None}
    assert not missing - set(LEFT_OUT), "operators of Fluid that do not exist here"
    assert not set(LEFT_OUT) - missing, "left out, it is said, but they exist: take them off the list"


def names(slots: str) -> set[str]:
    return {slot.rstrip("*?") for slot in slots.split()}


@pytest.mark.parametrize("kind", HERE)
def test_slots_have_the_names_of_fluids(kind: str) -> None:
    op, proto = find(kind), PROTOS[kind]
    for mine, fluids in ((op.inputs, proto["inputs"]), (op.outputs, proto["outputs"])):
        ours = {slot.name for i, slot in enumerate(mine) if mine is op.inputs or i not in op.hidden}
        told = SLOTS_THAT_DIFFER.get(kind, ("", ""))[0].split()
        found = {"+" + name for name in ours - names(fluids)} | {"-" + name for name in names(fluids) - ours}
        assert found <= set(told)


@pytest.mark.parametrize("kind", HERE)
def test_what_fluid_lets_one_leave_out_or_give_several_of_is_so_here(kind: str) -> None:
    op, proto = find(kind), PROTOS[kind]
    theirs = {slot.rstrip("*?"): slot for slot in f"{proto['inputs']} {proto['outputs']}".split()}
    for slot in op.inputs:
        if slot.name in theirs and kind != "assign":  # without X it does nothing in Fluid
            assert slot.dispensable or "?" not in theirs[slot.name], f"{slot.name} may be left out"
    for slot in (*op.inputs, *op.outputs):
        if slot.name in theirs and (kind, slot.name) not in (("while", "Condition"), ("create_py_reader", "Out")):
            assert slot.duplicable or "*" not in theirs[slot.name], f"{slot.name} may be several"


@pytest.mark.parametrize("kind", HERE)
def test_attributes_have_the_names_types_and_defaults_of_fluids(kind: str) -> None:
    op = find(kind)
    for name, type in PROTOS[kind]["attrs"].items():
        if (kind, name) in ATTRS_LEFT_OUT:
            continue
        assert op.has_attr(name), f"attribute {name} is missing"
        assert op.attr_type(name) == type, name
        default = DEFAULTS.get(kind, {}).get(name)
        if name not in op.attrs or default is None or (kind, name) in DEFAULTS_THAT_DIFFER:
            continue
        assert not op.attrs[name].required, f"{name} has a default in Fluid: {default[1]!r}"
        assert same(op.attrs[name].default, default[1]), f"{name} is {op.attrs[name].default!r}, not {default[1]!r}"


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-9)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


@pytest.mark.parametrize("kind", HERE)
def test_what_has_a_gradient_in_fluid_has_one_here(kind: str) -> None:
    if PROTOS[kind]["gradient"]:
        assert find(kind).has_gradient or find(kind).rules.gradient_ops
