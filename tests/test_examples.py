"""The examples run from the command line and end with what they promise."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_digits_example_trains_saves_reloads_exports_and_draws(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, ROOT / "examples" / "digits.py", "--out", out, "--steps", "60"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
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
