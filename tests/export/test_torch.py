"""export --to torch: a module that gives Refluid's outputs, and needs nothing of Refluid."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest
import torch
from tests.export.models import FOLDER, MODELS, batches_of, run_here
from tests.export.rows import has_rows, variants_of
from tests.models.oracle import recorded

import paddle.fluid as fluid
from refluid.__main__ import main
from refluid.export.mapping import ExportError
from refluid.export.model import Model, read
from refluid.export.to_torch.write import maps, to_source
from refluid.tensor.lod_tensor import LoDTensor


def module_of(model: Model) -> torch.nn.Module:
    """The exported module, with its weights."""
    source, weights = to_source(model, "exported")
    made = types.ModuleType("exported")
    exec(compile(source, "exported.py", "exec"), made.__dict__)
    module = made.Exported()
    module.load_state_dict(weights)
    return module.eval()


def run(module: torch.nn.Module, feed: dict[str, Any], names: list[str]) -> list[np.ndarray]:
    arguments = []
    for name in names:
        value = feed[name]
        if isinstance(value, LoDTensor):
            levels = value.lod_value.lengths() if value.lod_value else []
            value = value.value()
        else:
            value, levels = value if isinstance(value, tuple) else (value, [])
            value = torch.from_numpy(np.array(value))
        arguments += [value, *(torch.tensor(one, dtype=torch.int64) for one in levels)]
    with torch.inference_mode():
        found = module(*arguments)
    return [one.numpy() for one in (found if isinstance(found, tuple) else [found])]


@pytest.mark.parametrize("name", MODELS)
def test_a_recorded_model_gives_the_same_outputs_for_batches_of_any_size(name):
    folder = str(FOLDER / name / "combined")
    model = read(folder)
    module = module_of(model)
    for feed in batches_of(name):
        found = run(module, feed, [var.name for var in model.feeds])
        for one, wanted in zip(found, run_here(folder, feed), strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-5)


def test_a_loop_becomes_a_loop_of_python():
    model = read(str(FOLDER / "looping" / "combined"))
    feed = {"x": np.random.RandomState(1).uniform(-1, 1, (2, 3)).astype("float32"), "rounds": np.array([4])}
    wanted = recorded("models/looping/outputs.json")["outputs"]
    np.testing.assert_allclose(run(module_of(model), feed, ["x", "rounds"]), wanted, rtol=1e-6)
    assert "        while less_than_0_tmp_0:\n            square_0_tmp_0 = " in to_source(model, "looping")[0]


# Rows that the module cannot tell; the error says why.
SAYS = (
    "leaves channels out",
    "do not share the 5 channels",
    "its axes are tensors",
    "is in training mode",
    "level that is appended",
    "the parts of 2 heads",
    "images of different sizes",
    "trained paddings",
)


@pytest.mark.parametrize("op", [one for one in maps.types if has_rows(one)])
def test_an_operator_computes_what_it_does_here(op):
    compared = 0
    for where, case in variants_of(op, "MidOut" if op == "lrn" else ""):  # which only gradients read
        try:
            module = module_of(case.model)
        except ExportError as error:
            assert any(reason in str(error) for reason in SAYS), f"{where}: {error}"
            continue
        found = run(module, case.feed, [var.name for var in case.model.feeds])
        wanted = [x for v in case.model.fetches for x in (case.outputs[v.name], *case.lengths[v.name])]
        for one, other in zip(found, wanted, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), where
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5, err_msg=where)
        compared += 1
    assert compared, f"no row of tests/ops shows what {op} gives"


ALONE = """
import importlib.abc, json, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("refluid", "paddle"):
            raise ImportError(name + " is not installed")

sys.meta_path.insert(0, Blocked())
sys.path.insert(0, sys.argv[1])
import torch
from sentiment import load
with torch.inference_mode():
    out = load()(torch.tensor(json.loads(sys.argv[2])), torch.tensor(json.loads(sys.argv[3])))
assert not any(name.split(".")[0] in ("refluid", "paddle") for name in sys.modules)
print(json.dumps(out.tolist()))
"""


def test_the_files_run_where_refluid_is_not_installed(tmp_path, capsys):
    folder = str(FOLDER / "sentiment" / "combined")
    assert main(["export", folder, "--to", "torch", "-o", str(tmp_path / "sentiment.py")]) == 0
    assert capsys.readouterr().out.split() == [
        "wrote", str(tmp_path / "sentiment.py"), "wrote", str(tmp_path / "sentiment.safetensors"),
    ]  # fmt: skip
    feed = batches_of("sentiment")[1]
    words, lengths = feed["words"]
    given = [json.dumps(words.tolist()), json.dumps(lengths[0])]
    alone = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path), *given], capture_output=True, text=True, timeout=100
    )
    assert alone.returncode == 0, alone.stderr
    np.testing.assert_allclose(json.loads(alone.stdout), run_here(folder, feed)[0], rtol=1e-5)


def test_the_module_is_readable_and_carries_only_the_helpers_it_needs():
    source, weights = to_source(read(str(FOLDER / "lenet" / "combined")), "my-net 2")
    assert "class MyNet2(nn.Module):" in source
    assert "        pool2d_0_tmp_0 = F.max_pool2d(conv2d_0_tmp_2, 2, 2)  # [-1, 4, 8, 8]\n" in source
    assert [line for line in source.splitlines() if line.startswith("def ")] == [
        "def load(path: str | Path | None = None) -> MyNet2:"
    ]
    assert list(weights)[:2] == ["conv2d_0_w_0", "conv2d_0_b_0"]


def test_statistics_are_buffers_and_trained_weights_parameters():
    module = module_of(read(str(FOLDER / "normalized" / "combined")))
    assert [name for name, _ in module.named_buffers()] == ["batch_norm_0_w_1", "batch_norm_0_w_2"]
    assert "batch_norm_0_w_0" in dict(module.named_parameters())


def test_a_shared_parameter_stays_shared():
    module = module_of(read(str(FOLDER / "word2vec" / "combined")))
    assert sum(name.startswith("shared_w") for name, _ in module.named_parameters()) == 1


def test_long_constants_are_buffers_in_the_file_of_weights(tmp_path):
    table = np.arange(40, dtype="float32").reshape(10, 4)
    x = fluid.data(name="x", shape=[None, 4], dtype="float32")
    out = fluid.layers.matmul(x, fluid.layers.assign(table), transpose_y=True)
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.save_inference_model(str(tmp_path), ["x"], [out], exe)
    module = module_of(read(str(tmp_path)))
    assert not list(module.parameters()) and len(list(module.buffers())) == 1
    assert np.array_equal(run(module, {"x": np.eye(4, dtype="float32")}, ["x"])[0], table.T)
