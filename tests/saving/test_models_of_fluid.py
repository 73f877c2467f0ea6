"""Models that Fluid 1.8.5 saved load here and give its outputs; what is saved here has the same bytes.

The way back, our files in Fluid's executor and C++ predictor, needs the real thing: set FLUID_PYTHON to its Python.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.models.oracle import ROOT, source

import paddle.fluid as fluid
from refluid.saving.program_file import from_bytes, to_bytes
from refluid.saving.state_file import read_state

FOLDER = ROOT / "tests" / "fixtures" / "models"
MODELS = sorted(path.name for path in FOLDER.iterdir())
STATIC = [name for name in MODELS if name != "imperative"]

every_model = pytest.mark.parametrize("name", MODELS)
every_program = pytest.mark.parametrize("name", STATIC)


@every_model
def test_a_model_of_fluid_gives_the_same_outputs_and_goes_on_training_alike(name):
    recorder = source("record_models")
    check = recorder.check_imperative if name == "imperative" else recorder.check
    assert check(str(FOLDER), name) < 1e-5


@every_program
def test_parameters_of_fluid_come_back_bit_by_bit(name, tmp_path):
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        program, _, _ = fluid.io.load_inference_model(str(FOLDER / name / "combined"), exe, "model", "params")
        fluid.io.save_persistables(exe, str(tmp_path), program, filename="params")
        fluid.io.save_persistables(exe, str(tmp_path / "separate"), program)
    assert (tmp_path / "params").read_bytes() == (FOLDER / name / "combined" / "params").read_bytes()
    if (FOLDER / name / "separate").is_dir():
        for path in (tmp_path / "separate").iterdir():
            assert path.read_bytes() == (FOLDER / name / "separate" / path.name).read_bytes()


@every_program
def test_state_files_of_fluid_hold_what_its_persistables_hold(name):
    state = read_state(str(FOLDER / name / "saved.pdparams")) | read_state(str(FOLDER / name / "saved.pdopt"))
    program = from_bytes((FOLDER / name / "saved.pdmodel").read_bytes(), "saved.pdmodel")
    with fluid.scope_guard(fluid.Scope()):
        fluid.io.load_persistables(fluid.Executor(), str(FOLDER / name), program, filename="persistables")
        held = {n: np.array(fluid.global_scope().find_var(n).get_tensor()) for n in state}
    for var, array in state.items():
        assert array.dtype == held[var].dtype and np.array_equal(array, held[var]), var


@every_program
def test_a_program_file_is_the_same_program_after_reading_and_writing(name):
    describe = source("describe").describe
    program = from_bytes((FOLDER / name / "saved.pdmodel").read_bytes(), "saved.pdmodel")
    again = from_bytes(to_bytes(program), "again")
    assert describe(again) == describe(program)


@pytest.mark.skipif("FLUID_PYTHON" not in os.environ, reason="FLUID_PYTHON names no Python with Fluid 1.8.5")
@every_model
def test_fluid_runs_what_is_saved_here(name, tmp_path):
    script = str(Path("tools") / "oracle" / "record_models.py")
    for python, action in ((sys.executable, "write"), (os.environ["FLUID_PYTHON"], "check")):
        run = subprocess.run(
            [python, script, action, str(tmp_path), name], cwd=ROOT, capture_output=True, text=True, timeout=300
        )
        assert run.returncode == 0, run.stderr[-2000:]
