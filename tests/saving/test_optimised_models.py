"""Models that the predictor of Fluid 1.8.5 has rewritten and saved: their fused operators run here."""

import json

import numpy as np
import pytest
from tests.models.oracle import ROOT

import paddle.fluid as fluid

FOLDER = ROOT / "tests" / "fixtures" / "optimised"


def stored(value):
    return np.array(value["data"], value["dtype"]).reshape(value["shape"])


def fed(value):
    data = stored(value)
    return fluid.create_lod_tensor(data, value["lod"], fluid.CPUPlace()) if value["lod"] else data


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_an_optimised_model_of_fluid_gives_the_same_outputs(name):
    recorded = json.loads((FOLDER / name / "outputs.json").read_text())
    assert any("fusion" in kind for kind in recorded["ops"]) or name in ("images", "clipped")  # as attributes there
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, targets = fluid.io.load_inference_model(str(FOLDER / name), exe, "model", "params")
        assert sorted(feeds) == sorted(recorded["feed"])
        feed = {key: fed(value) for key, value in recorded["feed"].items()}
        found = exe.run(program, feed=feed, fetch_list=targets, return_numpy=False)
    for one, wanted in zip(found, recorded["outputs"], strict=True):
        np.testing.assert_allclose(np.array(one), stored(wanted), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["embedded_lstm", "perceptron"])
def test_the_predictor_runs_an_optimised_model(name):
    recorded = json.loads((FOLDER / name / "outputs.json").read_text())
    config = fluid.core.AnalysisConfig(str(FOLDER / name / "model"), str(FOLDER / name / "params"))
    predictor = fluid.core.create_paddle_predictor(config)
    for key, value in recorded["feed"].items():
        tensor = predictor.get_input_tensor(key)
        tensor.copy_from_cpu(stored(value))
        if value["lod"]:
            tensor.set_lod([np.cumsum([0, *level]).tolist() for level in value["lod"]])
    predictor.zero_copy_run()
    found = predictor.get_output_tensor(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(found, stored(recorded["outputs"][0]), rtol=1e-5, atol=1e-5)
