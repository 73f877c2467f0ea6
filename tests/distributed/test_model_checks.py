"""fleet.utils.utils looks at exported models and runs them, and keeps programs and variables in files; so does BDFS."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.distributed.fs_wrapper import BDFS
from paddle.fluid.incubate.fleet.utils import utils
from tests.contrib.test_hdfs import HADOOP


@pytest.fixture
def exported(tmp_path):
    x = fluid.data("x", [None, 4])
    guess = fluid.layers.fc(x, 2, param_attr=fluid.ParamAttr("w", fluid.initializer.Constant(0.5)), bias_attr=False)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    folder = str(tmp_path / "model")
    fluid.io.save_inference_model(folder, ["x"], [guess], exe)
    return folder


def feeds(**changed):
    about = {
        "feeded_vars_names": ["x"], "feeded_vars_dims": [4], "feeded_vars_types": [np.float32],
        "feeded_vars_filelist": None,
    }  # fmt: skip
    return SimpleNamespace(**{**about, **changed})


FETCHES = SimpleNamespace(fetch_vars_names=None)


@pytest.mark.parametrize("text", [False, True])
def test_an_exported_model_runs_with_numbers_at_random(exported, text):
    name = utils.program_type_trans(exported, "__model__", False) if text else "__model__"
    (found,) = utils.check_saved_vars_try_dump(exported, name, text, feeds(), FETCHES, batch_size=3)
    assert found.shape == (3, 2) and (found >= 0).all()


def test_numbers_come_from_files_if_there_are_some(exported, tmp_path):
    numbers = tmp_path / "x.txt"
    numbers.write_text("1 2 3 4\n")
    about = feeds(feeded_vars_filelist=[str(numbers)])
    (found,) = utils.check_saved_vars_try_dump(exported, "__model__", False, about, FETCHES)
    np.testing.assert_allclose(found.reshape(-1), [5.0, 5.0])


def test_what_does_not_fit_is_told(exported):
    with pytest.raises(ValueError, match=r"x has examples of \[4\], fed are \[5\]"):
        utils.check_saved_vars_try_dump(exported, "__model__", False, feeds(feeded_vars_dims=[5]), FETCHES)
    with pytest.raises(ValueError, match="as many dims and types as names"):
        utils.check_saved_vars_try_dump(exported, "__model__", False, feeds(feeded_vars_types=[]), FETCHES)


def test_programs_are_compared_and_listed(exported, tmp_path):
    pruned = utils.load_program(os.path.join(exported, "__model__"))
    assert utils.check_pruned_program_vars(fluid.default_main_program(), pruned)
    other = fluid.Program()
    other.global_block().create_var(name="w", shape=[9, 2], dtype="float32", persistable=True)
    assert not utils.check_pruned_program_vars(other, pruned)
    utils.parse_program(pruned, str(tmp_path))
    assert "'name': 'w'" in (tmp_path / "vars_persistable.log").read_text()
    assert "'type': 'mul'" in (tmp_path / "ops.log").read_text()


def test_a_variable_goes_through_a_file(tmp_path):
    array = np.arange(6, dtype="float32").reshape(2, 3)
    utils.save_var(array, "a", [3], "float32", str(tmp_path / "a"))
    np.testing.assert_array_equal(utils.load_var("a", [3], "float32", str(tmp_path / "a"))[0], array)


def test_bdfs_is_a_file_system_in_hadoop(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "hadoop"
    program.parent.mkdir()
    program.write_text(
        HADOOP.replace("root=${1#-Dhome=}; shift", "root=${1#-Dfs.default.name=}; shift; shift")
        .replace('-mkdir) mkdir -p "$root$2"', '-mkdir) mkdir -p "$root$1"')
        .replace("-rm)", "-rm | -rmr)")
    )
    program.chmod(0o755)
    (tmp_path / "hdfs").mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    place = BDFS(str(tmp_path / "hdfs"), "me,secret", time_out=0)
    place.mkdir("/a")
    (tmp_path / "file").write_text("text")
    place.upload(str(tmp_path / "file"), "/a")
    place.mkdir("/a/b")
    assert place.ls_dir("/a") == (["b"], ["file"])
    assert place.list_dirs("/a") == ["b"] and place.list_dirs("/c") == []
    (tmp_path / "got").mkdir()
    place.download("/a/file", str(tmp_path / "got"))
    assert (tmp_path / "got" / "file").read_text() == "text"
    place.mv("/a/file", "/a/other")
    place.delete("/a/other")
    assert place.ls_dir("/a") == (["b"], [])
    place.delete("/a")
    assert not place.stat("/a") and place.need_upload_download()
    with pytest.raises(fluid.core.EnforceNotMet, match="-mv /x /y failed"):
        place.mv("/x", "/y")
