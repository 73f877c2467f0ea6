"""The C++ kernels give what the Python code gives that stands in for them, bit by bit."""

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.core import flags
from refluid.native import call as native
from refluid.ops.registry import get

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler")


def boxes(random, *shape, size=100.0):
    low = random.uniform(0, size, (*shape, 2))
    return torch.tensor(np.concatenate([low, low + random.uniform(-5, size / 3, (*shape, 2))], -1)).float()


def quads(random, count):
    left, top, right, bottom = boxes(random, count).unbind(-1)
    bend = torch.tensor(random.uniform(-3, 3, (8, count))).float()
    return torch.stack([left, top, right, top, right, bottom, left, bottom], 0).add(bend).T.contiguous()


def lengths(random, count):
    found = random.randint(0, 12, count)
    found[0] = 0
    return found.tolist()


def nms(random):
    attrs = {"score_threshold": 0.1, "nms_top_k": 40, "keep_top_k": 30, "background_label": 1}
    for eta in (1.0, 0.9):
        scores = torch.tensor(random.uniform(0, 1, (2, 4, 60))).float().round(decimals=1)
        more = {"nms_threshold": 0.6, "nms_eta": eta, "normalized": eta == 1}
        yield "multiclass_nms2", {"BBoxes": boxes(random, 2, 60), "Scores": scores}, {**attrs, **more}
    several = {"nms_threshold": 0.3, "nms_eta": 1.0, "normalized": True}
    scores = torch.tensor(random.uniform(0, 1, (1, 3, 25))).double()
    yield "multiclass_nms", {"BBoxes": quads(random, 25)[None].double(), "Scores": scores}, {**attrs, **several}
    scores = torch.tensor(random.uniform(0, 1, (1, 1, 40))).float()
    for found in (quads(random, 20).repeat_interleave(2, 0)[None], boxes(random, 20).repeat_interleave(2, 0)[None]):
        yield "locality_aware_nms", {"BBoxes": found, "Scores": scores}, {**attrs, **several}


def matrix_nms(random):
    scores = torch.tensor(random.uniform(0, 1, (2, 3, 50))).float()
    for gaussian in (False, True):
        attrs = {"score_threshold": 0.1, "nms_top_k": 40, "keep_top_k": 30, "use_gaussian": gaussian}
        yield "matrix_nms", {"BBoxes": boxes(random, 2, 50), "Scores": scores}, attrs


def assigned(random):
    truth = fluid.create_lod_tensor(boxes(random, 7).numpy(), [[3, 4]], fluid.CPUPlace())
    crowd = fluid.create_lod_tensor(np.zeros((7, 1), "int32"), [[3, 4]], fluid.CPUPlace())
    info = torch.tensor([[100.0, 100.0, 1.0]] * 2)
    inputs = {"Anchor": boxes(random, 90), "GtBoxes": truth, "IsCrowd": crowd, "ImInfo": info}
    for straddle in (0.0, -1.0, 20.0):
        attrs = {"use_random": False, "rpn_batch_size_per_im": 30, "rpn_straddle_thresh": straddle}
        yield "rpn_target_assign", inputs, {**attrs, "rpn_positive_overlap": 0.3, "rpn_negative_overlap": 0.2}
    classes = fluid.create_lod_tensor(random.randint(1, 5, (7, 1)).astype("int32"), [[3, 4]], fluid.CPUPlace())
    yield "retinanet_target_assign", {**inputs, "GtLabels": classes}, {"positive_overlap": 0.2}
    similar = fluid.create_lod_tensor(
        random.uniform(-0.2, 1, (7, 9)).round(1).astype("float32"), [[3, 4]], fluid.CPUPlace()
    )
    for kind in ("bipartite", "per_prediction"):
        yield "bipartite_match", {"DistMat": similar}, {"match_type": kind}


def matched(random):
    """What an SSD makes of its prior boxes: similarities, targets and hard examples."""
    pair = [boxes(random, 4), boxes(random, 37)]
    pair[0][1, 2] = pair[1][5, 0] = float("nan")
    for dtype in (torch.float32, torch.float64):
        for normalized in (True, False):
            inputs = {"X": pair[0].to(dtype), "Y": pair[1].to(dtype)}
            yield "iou_similarity", inputs, {"box_normalized": normalized}
    matches = torch.tensor(random.randint(-1, 3, (2, 12))).int()
    negatives = fluid.create_lod_tensor(random.randint(0, 12, (5, 1)).astype("int32"), [[2, 3]], fluid.CPUPlace())
    for values in (random.normal(0, 1, (7, 1, 4)).astype("float32"), random.randint(0, 9, (7, 12, 1))):
        inputs = {"X": fluid.create_lod_tensor(values, [[3, 4]], fluid.CPUPlace()), "MatchIndices": matches}
        yield "target_assign", inputs, {"mismatch_value": 2}
        yield "target_assign", {**inputs, "NegIndices": negatives}, {"mismatch_value": 0}
    losses = torch.tensor(random.uniform(0, 1, (2, 2, 12)).round(1)).float()
    losses[0, 1, 3] = float("nan")
    inputs = {"ClsLoss": losses[0], "LocLoss": losses[1], "MatchIndices": matches}
    inputs["MatchDist"] = torch.tensor(random.uniform(0, 1, (2, 12))).float()
    for ratio in (0.0, 0.7, 3.0, -1.0):
        yield "mine_hard_examples", inputs, {"neg_pos_ratio": ratio}
    yield "mine_hard_examples", inputs, {"mining_type": "hard_example", "sample_size": 5}


def sequences(random):
    rows = lengths(random, 9)
    total = sum(rows)

    def ragged(values):
        return fluid.create_lod_tensor(values, [rows], fluid.CPUPlace())

    emission = ragged(random.normal(0, 1, (total, 5)).round(1).astype("float32"))
    yield "crf_decoding", {"Emission": emission, "Transition": torch.tensor(random.normal(0, 1, (7, 5))).float()}, {}
    for scheme, tags in (("IOB", 2), ("IOE", 2), ("IOBES", 4), ("plain", 1)):
        found, label = (ragged(random.randint(0, 3 * tags + 1, (total, 1)).astype("int64")) for _ in range(2))
        attrs = {"num_chunk_types": 3, "chunk_scheme": scheme, "excluded_chunk_types": [1]}
        yield "chunk_eval", {"Inference": found, "Label": label}, attrs
    hyps, refs = (ragged(random.randint(0, 3, (total, 1)).astype("int64")) for _ in range(2))
    yield "edit_distance", {"Hyps": hyps, "Refs": refs}, {}
    padded = {"Hyps": torch.tensor(random.randint(0, 3, (4, 6))), "Refs": torch.tensor(random.randint(0, 3, (4, 5)))}
    sizes = {"HypsLength": torch.tensor([6, 3, 0, 1]), "RefsLength": torch.tensor([5, 1, 2, 4])}
    yield "edit_distance", {**padded, **sizes}, {"normalized": True}


def beams(random):
    def ragged(values):
        return fluid.create_lod_tensor(values, [[2, 1, 3], [1] * 6], fluid.CPUPlace())

    inputs = {
        "pre_ids": ragged(random.randint(0, 3, (6, 1)).astype("int64")),
        "pre_scores": ragged(random.uniform(0, 1, (6, 1)).round(1).astype("float32")),
        "ids": ragged(random.randint(0, 5, (6, 4)).astype("int64")),
        "scores": ragged(random.uniform(0, 1, (6, 4)).round(1).astype("float32")),
    }
    for accumulated in (True, False):
        yield "beam_search", inputs, {"beam_size": 3, "end_id": 0, "level": 0, "is_accumulated": accumulated}


def run(kind, inputs, attrs):
    """What the operator gives in a program: values and LoDs."""
    main = fluid.Program()
    with fluid.program_guard(main), fluid.scope_guard(fluid.Scope()):
        block, slots, feed = main.global_block(), {}, {}
        for name, value in inputs.items():
            array = value.numpy() if isinstance(value, torch.Tensor) else value
            dtype = str(np.array(array).dtype)
            slots[name] = [block.create_var(name=name, shape=np.array(array).shape, dtype=dtype, lod_level=2)]
            feed[name] = array
        outputs = {slot.name: [block.create_var(name=f"{slot.name}.out")] for slot in get(kind).outputs}
        block.append_op(type=kind, inputs=slots, outputs=outputs, attrs=attrs)
        found = fluid.Executor(fluid.CPUPlace()).run(
            main, feed=feed, fetch_list=[one for (one,) in outputs.values()], return_numpy=False
        )
    return [(np.array(one), one.lod()) for one in found]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cases", [nms, matrix_nms, assigned, matched, sequences, beams])
def test_kernels_give_what_python_gives(cases, seed, monkeypatch):
    for kind, inputs, attrs in cases(np.random.RandomState(seed)):
        fast = run(kind, inputs, attrs)
        with monkeypatch.context() as patch:
            patch.setattr(native, "available", lambda: False)
            slow = run(kind, inputs, attrs)
        for (value, lod), (expected, expected_lod) in zip(fast, slow, strict=True):
            np.testing.assert_array_equal(value, expected, err_msg=kind)
            assert lod == expected_lod, kind


def test_the_flag_chooses_python(monkeypatch):
    monkeypatch.setattr(flags, "get", lambda name: False)
    assert not native.available()
