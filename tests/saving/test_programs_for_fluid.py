"""Programs saved here have what Fluid 1.8.5 needs to run them, to train with them too.

That it really trains with them needs the real thing: set FLUID_PYTHON to its Python.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.models.oracle import ROOT, recorded, source

import paddle.fluid as fluid
from refluid.ops import registry
from refluid.saving.hints import HINTS, hints
from refluid.saving.program_file import to_bytes
from refluid.saving.schema import ATTR_TYPES, ProgramDesc

catalog = source("catalog")
source("programs"), source("gallery"), source("contrib_programs")  # they register what they build
OTHERWISE_BUILT = {"gradient_penalty", "gallery_of_sequences"}  # see tests/models/test_programs_equal.py


def as_file(program):
    desc = ProgramDesc()
    desc.ParseFromString(to_bytes(program))
    return desc


@pytest.mark.filterwarnings("ignore:.*set_gradient_clip.*")
@pytest.mark.parametrize("name", [name for name in catalog.PROGRAMS if name not in OTHERWISE_BUILT])
def test_gradient_operators_have_every_attribute_that_they_have_in_fluid(name):
    missing = set()
    for role, program in catalog.build(name).items():
        for theirs, ours in zip(recorded(f"programs/{name}.json")[role], as_file(program).blocks, strict=True):
            for expected, op in zip(theirs["ops"], ours.ops, strict=True):
                if expected["type"].endswith("_grad"):
                    found = {attr.name.decode() for attr in op.attrs}
                    missing |= {f"{expected['type']}: {attr}" for attr in expected["attrs"] if attr not in found}
    assert not missing


def test_attributes_of_gradients_have_the_types_of_their_forward_operator():
    word = fluid.data("word", [None, 1], "int64")
    fluid.backward.append_backward(fluid.layers.mean(fluid.layers.embedding(word, [7, 4], padding_idx=2)))
    ops = as_file(fluid.default_main_program()).blocks[0].ops
    kinds = {op.type: attr.type for op in ops for attr in op.attrs if attr.name == b"padding_idx"}
    assert kinds == {b"lookup_table": ATTR_TYPES["LONG"], b"lookup_table_grad": ATTR_TYPES["LONG"]}


def test_slots_without_variables_are_in_the_file():
    fluid.layers.conv2d(fluid.data("image", [None, 3, 8, 8]), 4, 3, bias_attr=False)
    slots = {
        op.type: {slot.parameter for slot in op.inputs} for op in as_file(fluid.default_main_program()).blocks[0].ops
    }
    assert slots[b"conv2d"] == {b"Input", b"Filter", b"Bias"}


@pytest.mark.skipif("FLUID_PYTHON" not in os.environ, reason="FLUID_PYTHON names no Python with Fluid 1.8.5")
def test_fluid_trains_with_programs_that_are_saved_here(tmp_path):
    script = str(Path("tools") / "oracle" / "trainings_back.py")
    for python, action in ((sys.executable, "write"), (os.environ["FLUID_PYTHON"], "check")):
        run = subprocess.run(
            [python, script, action, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=600
        )
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]


def test_every_gradient_operator_has_the_attributes_of_its_forward_operator_in_fluid():
    missing = []
    for kind, attrs in recorded("op_defaults.json").items():
        op = registry.find(kind)
        if op is not None and op.has_gradient and op.gradient is not None:
            written = op.attrs.keys() | hints(op.gradient, {}).keys()
            missing += [f"{kind}: {name} = {value}" for name, value in attrs.items() if name not in written]
    assert not missing


def test_gradients_have_inputs_that_only_fluid_reads():
    words = fluid.data("words", [None, 9], lod_level=1)
    words.stop_gradient = False
    image = fluid.data("image", [None, 4, 3, 3])
    image.stop_gradient = False
    gru = fluid.layers.dynamic_gru(words, size=3)
    norm = fluid.layers.group_norm(image, 2)
    fluid.backward.append_backward(fluid.layers.mean(gru) + fluid.layers.mean(norm))
    ops = {op.type: op for op in fluid.default_main_program().global_block().ops}
    assert ops["gru_grad"].input("Hidden") == [gru.name] and ops["group_norm_grad"].input("Y") == [norm.name]


def test_slots_and_attributes_kept_for_fluid_exist():
    for kind in registry.all_types():
        op = registry.get(kind)
        assert set(op.grad_keeps) <= {*op.input_index, *op.output_index}, kind
        assert set(op.grad_hints) <= set(HINTS), kind
        assert op.late <= set(op.input_index), kind
