"""export --to onnx: the checker accepts the file, and onnxruntime gives Refluid's outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from tests.export.models import FOLDER, MODELS, batches_of, run_here
from tests.export.rows import has_rows, variants_of

from refluid.export.mapping import ExportError
from refluid.export.model import read
from refluid.export.to_onnx.write import lengths_of, maps, to_proto
from refluid.tensor.lod_tensor import LoDTensor


def session(proto: Any) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def fed(feed: dict[str, Any]) -> dict[str, np.ndarray]:
    """A feed with its lengths as inputs of their own."""
    given = {}
    for name, value in feed.items():
        if isinstance(value, LoDTensor):
            levels = value.lod_value.lengths() if value.lod_value else []
            value = value.value().numpy()
        else:
            value, levels = value if isinstance(value, tuple) else (value, [])
        given[name] = np.asarray(value)
        for key, lengths in zip(lengths_of(name, len(levels)), levels):
            given[key] = np.array(lengths, "int64")
    return given


@pytest.mark.parametrize("name", MODELS)
def test_a_recorded_model_gives_the_same_outputs_for_batches_of_any_size(name):
    folder = str(FOLDER / name / "combined")
    running = session(to_proto(read(folder)))
    for feed in batches_of(name):
        for found, wanted in zip(running.run(None, fed(feed)), run_here(folder, feed), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_separate_files_give_the_same_onnx_model():
    separate, combined = (to_proto(read(str(FOLDER / "lenet" / kind))) for kind in ("separate", "combined"))
    feed = batches_of("lenet")[0]
    assert np.array_equal(session(separate).run(None, feed)[0], session(combined).run(None, feed)[0])


def test_batch_sizes_and_sequence_lengths_are_inputs_of_the_model():
    proto = to_proto(read(str(FOLDER / "sentiment" / "combined")))
    inputs = {
        one.name: [d.dim_param or d.dim_value for d in one.type.tensor_type.shape.dim] for one in proto.graph.input
    }
    assert inputs == {"words": ["words.rows", 1], "words.lengths": ["words.lengths.count"]}
    proto = to_proto(read(str(FOLDER / "lenet" / "combined")))
    assert [d.dim_param or d.dim_value for d in proto.graph.input[0].type.tensor_type.shape.dim] == ["batch", 1, 20, 20]


def test_a_shared_parameter_is_kept_once():
    proto = to_proto(read(str(FOLDER / "word2vec" / "combined")))
    assert [one.name for one in proto.graph.initializer].count("shared_w") == 1


# Outputs that ONNX does not give: one that only gradients read, and the cells of the steps.
NOT_COMPUTED = {"lrn": "MidOut", "lstm": "Cell"}
# Rows that ONNX cannot tell; the error says why.
SAYS = (
    "leaves channels out", "do not share the 5 channels",
    "its axis is a tensor", "its axes are tensors", "last axis is empty",
    "is in training mode",
    "level that is appended", "trained paddings", "(X with a LoD) that are repeated", "bicubic image of size 1",
    "images of different sizes", "ONNX has no recurrent unit", "ONNX has no GRU", "the parts of 2 heads",
)  # fmt: skip


@pytest.mark.parametrize("op", [one for one in maps.types if has_rows(one)])
def test_an_operator_computes_what_it_does_here(op):
    compared = 0
    for where, case in variants_of(op, NOT_COMPUTED.get(op, "")):
        try:
            proto = to_proto(case.model)
        except ExportError as error:
            assert any(reason in str(error) for reason in SAYS), f"{where}: {error}"
            continue
        wanted = [x for v in case.model.fetches for x in (case.outputs[v.name], *case.lengths[v.name])]
        for one, other in zip(session(proto).run(None, fed(case.feed)), wanted, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), where
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5, err_msg=where)
        compared += 1
    assert compared, f"no row of tests/ops shows what {op} gives"
