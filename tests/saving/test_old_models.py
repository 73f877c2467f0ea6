"""Model files of 1.5 to 1.7: no version, older operators, attributes missing that came later."""

import json

import pytest
from tests.models.oracle import ROOT, source

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.ops import registry
from refluid.saving.framework_messages import ProgramDesc
from refluid.saving.inference import strip_feed_and_fetch
from refluid.saving.program_file import from_bytes, to_bytes

FOLDER = ROOT / "tests" / "fixtures" / "models"
STATIC = sorted(path.name for path in FOLDER.iterdir() if path.name != "imperative")
old_files, record_models = source("old_files"), source("record_models")


def aged(name):
    desc = ProgramDesc.FromString((FOLDER / name / "combined" / "model").read_bytes())
    old_files.age(desc)
    return desc


def test_the_aged_files_are_old():
    desc = aged("spelled")
    assert not desc.HasField("version") and not desc.HasField("op_compatible_map")
    types = {op.type for op in desc.blocks[0].ops}
    assert types >= {"reshape", "transpose", "squeeze", "unsqueeze", "flatten", "lookup_table", "top_k", "expand"}
    assert not types & set(old_files.SPELLINGS)
    names = {attr.name for op in desc.blocks[0].ops for attr in op.attrs}
    assert not names & {"str_value", "padding_algorithm", "x_data_format", "bias_after_scale", "op_device"}


@pytest.mark.parametrize("name", STATIC)
def test_an_old_model_gives_the_same_outputs(name, tmp_path):
    old_files.aged_copy(str(FOLDER / name / "combined"), str(tmp_path / "model"), ProgramDesc)
    _, _, fed, feeds, _, _ = record_models.build(name)
    got = record_models.run_inference(fluid.Executor(), str(tmp_path / "model"), feeds, fed, "model", "params")
    expected = json.loads((FOLDER / name / "outputs.json").read_text())["outputs"]
    assert record_models.difference(expected, got) < 1e-5


@pytest.mark.parametrize("name", ["linear", "lenet", "sentiment", "word2vec"])  # trained, and not at random
def test_an_old_training_goes_on_as_it_would_have(name, tmp_path):
    record = json.loads((FOLDER / name / "outputs.json").read_text())
    _, startup, fed, _, _, loss = record_models.build(name)
    desc = ProgramDesc.FromString((FOLDER / name / "saved.pdmodel").read_bytes())
    old_files.age(desc)
    program, exe = from_bytes(desc.SerializeToString(), "old"), fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.load_persistables(exe, str(FOLDER / name), program, filename="persistables")
        steps = [exe.run(program, feed=record_models.as_feed(fed), fetch_list=[loss.name]) for _ in record["losses"]]
    assert record_models.difference(record["losses"], [step[0].item() for step in steps]) < 1e-5


def test_what_an_old_file_leaves_out_has_fluids_default():
    """The recorded defaults are those of 1.8.5's operators, which do by default what they did before."""
    recorded = json.loads((ROOT / "tests" / "fixtures" / "op_defaults.json").read_text())
    different = []
    for kind, attrs in recorded.items():
        op = registry.find(kind)
        for name, (type, value) in attrs.items() if op is not None and op.forward is None else ():
            attr = op.attrs.get(name)
            if attr is None or (kind, name) in OWN_DEFAULTS:
                continue
            if attr.required or attr.type != type or not _same(attr.default, value):
                different.append(f"{kind}: {name} is {type} {value} in Fluid, {attr.type} {attr.default} here")
    assert not different


# Attributes whose default says nothing.
OWN_DEFAULTS = {
    ("bicubic_interp", "interp_method"),  # the operator's name decides
    ("nearest_interp", "interp_method"),
    ("trilinear_interp", "interp_method"),
    ("cudnn_lstm", "seed"),  # -1 and 0 are both "not given"
}


def _same(ours, theirs):
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(theirs, float):
        return ours == pytest.approx(theirs, rel=1e-5, abs=1e-12)
    return ours == theirs


def test_a_file_of_a_later_fluid_is_read_as_far_as_it_is_known():
    """What is unknown is named when the program runs, not guessed."""
    desc = aged("linear")
    desc.blocks[0].ops[1].type = "mul_of_2030"
    program = from_bytes(desc.SerializeToString(), "later")
    with pytest.raises(EnforceNotMet, match="mul_of_2030"):
        fluid.Executor().run(program, feed={"x": [[1.0, 2.0, 3.0, 4.0]]}, fetch_list=["fc_0.tmp_1"])


def test_a_program_that_was_old_is_saved_as_a_new_one():
    desc = ProgramDesc.FromString(to_bytes(from_bytes(aged("spelled").SerializeToString(), "old")))
    assert desc.version.version == 1008005
    conv = next(op for op in desc.blocks[0].ops if op.type == "conv2d")
    assert {attr.name for attr in conv.attrs} >= {"padding_algorithm", "data_format"}


def test_columns_decide_the_order_of_feeds_and_fetches():
    """Older releases put feed operators in front one by one: the last comes first."""
    desc = aged("spelled")
    ops = desc.blocks[0].ops
    feeds = [op for op in ops if op.type == "feed"]
    others = [op for op in ops if op.type != "feed"]
    turned = [type(op).FromString(op.SerializeToString()) for op in (*feeds[::-1], *others)]
    before = [strip_feed_and_fetch(from_bytes(aged("spelled").SerializeToString(), "old"))]
    del ops[:]
    ops.extend(turned)
    assert [strip_feed_and_fetch(from_bytes(desc.SerializeToString(), "turned"))] == before
    assert before[0][0] == ["x", "word"] and len(before[0][1]) == 5
