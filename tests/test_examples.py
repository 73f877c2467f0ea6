"""The examples run from the command line and end with what they promise."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import paddle.fluid as fluid
from refluid.native.build import compiler
from tests.distributed.ranks import PATIENT, TIMEOUT, ports_in_a_row

ROOT = Path(__file__).parent.parent


def test_the_digits_example_trains_saves_reloads_exports_and_draws(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, ROOT / "examples" / "digits.py", "--out", out, "--steps", "60"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert {path.name for path in out.iterdir()} >= {
        "imperative.pdparams", "infer_3.png", "inference_model", "loss_curve.png", "static",
    }  # fmt: skip
    assert (out / "loss_curve.png").read_bytes().startswith(b"\x89PNG")
    accuracies = re.search(r"accuracy, reloaded +([\d.]+)% +([\d.]+)% +([\d.]+)%", ran.stdout).groups()
    assert all(float(found) > 60 for found in accuracies)
    assert accuracies[1] == accuracies[2]  # the exported model is the static one
    assert re.search(r"^the picture shows +\d +\d +\d$", ran.stdout, re.M)
    assert "\r" not in ran.stdout  # no bar where there is no terminal


def test_the_recommender_learns_tastes_with_two_servers_and_two_trainers(tmp_path):
    command = [
        sys.executable, ROOT / "examples" / "recommender.py", "--out", tmp_path / "model", "--steps", "150",
        "--port", str(ports_in_a_row(2)[0]), "--limit", str(TIMEOUT),
    ]  # fmt: skip
    env = {**os.environ, **PATIENT}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=2 * TIMEOUT, cwd=tmp_path, env=env)
    assert ran.returncode == 0, ran.stderr
    assert float(re.search(r"right about ([\d.]+)% of new clicks", ran.stdout).group(1)) > 85
    assert int(re.search(r"(\d+) of 25 recommendations", ran.stdout).group(1)) > 20
    assert len(re.findall(r"all trainers have left after 150 steps", ran.stderr)) == 2


def printed_by(name: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, ROOT / "examples" / name, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_word2vec_example_finds_words_that_are_used_alike(tmp_path):
    right, total = re.search(r"of the same kind: (\d+) of (\d+)", printed_by("word2vec.py", tmp_path)).groups()
    assert int(right) > 0.8 * int(total)


def test_the_sentiment_example_understands_not(tmp_path):
    told = printed_by("sentiment.py", tmp_path)
    assert float(re.search(r"steps: ([\d.]+)%", told)[1]) > 90
    assert re.search(r"^good .*: not bad and not boring$", told, re.M)


def test_the_fine_tuning_example_gains_from_the_model_of_fluid(tmp_path):
    low, fresh, tuned = map(float, re.findall(r": ([\d.]+)%", printed_by("fine_tune.py", tmp_path)))
    assert low > 95 and tuned > fresh


@pytest.mark.skipif(compiler() is None or shutil.which("cmake") is None, reason="CMake or a C++ compiler is missing")
def test_the_deployment_example_predicts_in_cpp_what_python_predicts(tmp_path):
    """With TorchScript, as compiling takes a minute: tests/cpp compiles a model."""
    image = fluid.data("img", [None, 1, 28, 28])
    pooled = fluid.nets.simple_img_conv_pool(
        image, num_filters=4, filter_size=5, pool_size=2, pool_stride=2, act="relu"
    )
    answer = fluid.layers.fc(pooled, 10, act="softmax")
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    fluid.io.save_inference_model(str(tmp_path / "model"), ["img"], [answer], exe)
    told = printed_by("deploy.py", tmp_path, "--model", str(tmp_path / "model"), "--torchscript")
    assert float(re.search(r"difference between C\+\+ and Python: (\S+)", told)[1]) < 1e-5
    assert re.search(r"^(\d ){20}are the first digits$", told, re.M)
