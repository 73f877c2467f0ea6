"""C++ programs written for Fluid's prediction interface run exported models and get what Python gets."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.export.models import FOLDER, batches_of, feed_of, run_here
from tests.export.test_networks import recommender, stacked, transformer

import paddle
import paddle.fluid as fluid
from refluid.__main__ import main
from refluid.native.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or shutil.which("cmake") is None, reason="CMake or a C++ compiler is missing"
)

Drive = Callable[..., str]


def compiled(source: str, standard: str, folder: Path) -> Path:
    """A program of this folder, compiled with what paddle.sysconfig names."""
    library = paddle.sysconfig.get_lib()
    words = [
        *(compiler() or "").split(), f"-std={standard}", "-Wall", "-Werror", "-O1", Path(__file__).parent / source,
        f"-I{paddle.sysconfig.get_include()}", f"-L{library}", "-lpaddle_fluid", f"-Wl,-rpath,{library}",
        "-pthread", "-o", folder / "program",
    ]  # fmt: skip
    built = subprocess.run(words, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "program"


@pytest.fixture(scope="module")
def drive(tmp_path_factory) -> Drive:
    """Runs driver.cc and returns what it printed."""
    program = compiled("driver.cc", "c++14", tmp_path_factory.mktemp("driver"))

    def run(mode: str, *model: object, text: str = "", code: int = 0) -> str:
        done = subprocess.run([program, mode, *model], input=text, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return run


def packed(name: str, folder: Path, *options: str) -> Path:
    """A recorded model, copied and exported with TorchScript, which takes no time, or with other options."""
    copied = folder / name
    shutil.copytree(FOLDER / name / "combined", copied)
    assert main(["export", str(copied), "--to", "cpp", *(options or ["--torchscript"])]) == 0
    return copied


@pytest.fixture(scope="module")
def lenet(tmp_path_factory) -> Path:
    return packed("lenet", tmp_path_factory.mktemp("models"))


def text_of(feed: dict[str, Any]) -> str:
    """Inputs as the driver reads them."""
    lines = []
    for name, value in feed.items():
        array, lengths = value if isinstance(value, tuple) else (value, [])
        array = np.asarray(array)
        levels = [[0, *np.cumsum(level)] for level in lengths]
        lod = " ".join(f"{len(level)} {' '.join(map(str, level))}" for level in levels)
        sizes, numbers = " ".join(map(str, array.shape)), " ".join(repr(float(one)) for one in array.ravel())
        lines.append(f"{name} {array.dtype} {array.ndim} {sizes} {len(levels)} {lod} {array.size} {numbers}")
    return "\n".join(lines)


def outputs_of(printed: str) -> list[np.ndarray]:
    lines = printed.splitlines()
    return [
        np.array(lines[i + 3].split(), float).reshape(np.array(lines[i + 1].split(), int))
        for i in range(0, len(lines), 4)
    ]


def check(drive: Drive, name: str, folder: Path, modes: tuple[str, ...] = ("run", "zero")) -> None:
    for feed in batches_of(name):
        wanted = run_here(str(folder), feed)
        for mode in modes:
            for found, other in zip(outputs_of(drive(mode, folder, text=text_of(feed))), wanted, strict=True):
                np.testing.assert_allclose(found, other, rtol=1e-5, atol=1e-5)


def save(build: Callable, folder: Path) -> list[dict[str, Any]]:
    """Save a network of test_networks.py; returns its feeds."""
    program, startup = fluid.Program(), fluid.Program()
    program.random_seed = startup.random_seed = 5
    with fluid.unique_name.guard(), fluid.program_guard(program, startup), fluid.scope_guard(fluid.Scope()):
        feeds, outputs = build()
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        fluid.io.save_inference_model(str(folder), list(feeds[0]), outputs, exe, program)
    return feeds


def test_sequences_of_any_length_are_predicted_by_compiled_code(drive, tmp_path, capsys):
    """AOTInductor, an LSTM and a GRU: batches and sequences of other sizes than those that they were compiled with."""
    feeds = save(stacked, tmp_path)
    assert main(["export", str(tmp_path), "--to", "cpp"]) == 0
    out, err = capsys.readouterr()
    assert out == f"wrote {tmp_path / '__model__.pt2'}\n"
    assert all(line.startswith("export --to cpp: ") for line in err.splitlines())  # progress, and no word of torch's
    for feed in [*feeds, {"words": (np.array([[3]]), [[1]])}]:
        (wanted,) = run_here(str(tmp_path), feed, None, None)
        for mode in ("run", "zero"):
            (found,) = outputs_of(drive(mode, tmp_path, text=text_of(feed)))
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert drive("threads", tmp_path, text=text_of(feeds[0])) == "100 of 100 the same\n"
    rows, lengths = feeds[0]["words"]
    longer = {"words": (rows, [[*lengths[0][:-1], lengths[0][-1] + 1]])}
    assert f"but there are {len(rows)} rows" in drive("run", tmp_path, text=text_of(longer), code=1)
    for mode, wrong in (("run", 10), ("zero", -1)):
        outside = {"words": (np.array([[3], [wrong], [12]]), [[2, 1]])}
        told = drive(mode, tmp_path, text=text_of(outside), code=1)
        assert told == f"refused: 'embedding_0.w_0' has the indices 0 to 9, got {wrong} at position 1\n"


def test_indices_from_outside_are_checked_by_compiled_code(drive, tmp_path):
    """Lookups in a value of any size, by several indices, and a scatter; negative indices of gather_nd count back."""
    x = fluid.data(name="x", shape=[None, 3], dtype="float32")
    index = fluid.data(name="index", shape=[None], dtype="int64")
    rows = fluid.layers.gather(fluid.layers.relu(x), index)
    cells = fluid.layers.gather_nd(x, fluid.layers.stack([index, index], axis=1))
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.save_inference_model(str(tmp_path), ["x", "index"], [rows, cells], exe)
    assert main(["export", str(tmp_path), "--to", "cpp"]) == 0
    feed = {"x": np.arange(12, dtype="float32").reshape(4, 3), "index": np.array([2, 0])}
    printed = drive("zero", tmp_path, text=text_of(feed))
    for found, wanted in zip(outputs_of(printed), run_here(str(tmp_path), feed, None, None), strict=True):
        np.testing.assert_allclose(found, wanted)
    for wrong, words in ((4, "index_select has the indices 0 to 3, got 4 at position 1"), (3, "index has the indices")):
        told = drive("zero", tmp_path, text=text_of({**feed, "index": np.array([1, wrong])}), code=1)
        assert words in told


@pytest.mark.parametrize("build", [recommender, stacked, transformer])
def test_networks_are_predicted_by_torchscript(build, drive, tmp_path):
    feeds = save(build, tmp_path)
    assert main(["export", str(tmp_path), "--to", "cpp", "--torchscript"]) == 0
    for feed in feeds:
        wanted = run_here(str(tmp_path), feed, None, None)
        for found, other in zip(outputs_of(drive("run", tmp_path, text=text_of(feed))), wanted, strict=True):
            np.testing.assert_allclose(found, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["sentiment", "word2vec", "normalized", "looping"])
def test_models_of_every_kind_are_predicted_by_torchscript(name, drive, tmp_path):
    check(drive, name, packed(name, tmp_path))


def test_an_id_outside_of_its_table_is_refused_by_torchscript(drive, tmp_path):
    folder = packed("sentiment", tmp_path)
    rows, lengths = feed_of("sentiment")["words"]
    told = drive("run", folder, text=text_of({"words": (rows + 10**6, lengths)}), code=1)
    assert told.startswith(f"refused: the model '{folder / 'model.pt2'}' failed: ")


def test_every_configuration_finds_the_package(drive, lenet):
    text = text_of(feed_of("lenet"))
    expected = drive("run", lenet, text=text)
    assert drive("native", lenet, text=text) == expected
    assert drive("run", lenet / "model", lenet / "params", text=text) == expected
    assert drive("run", lenet / "model.pt2", text=text) == expected
    assert drive("names", lenet).splitlines()[0] == "img: -1 1 20 20"


def test_what_programs_for_fluid_write_compiles_and_predicts(lenet, tmp_path):
    """idioms.cc, in C++11; what is no package or cannot be done is refused with words."""
    feed = feed_of("lenet")["img"][:1]
    ((wanted, *_),) = run_here(str(lenet), {"img": feed})
    done = subprocess.run(
        [compiled("idioms.cc", "c++11", tmp_path), lenet, lenet / "model.pt2"],
        input=" ".join(map(repr, feed.ravel().tolist())), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    assert [what for what, _ in lines] == ["native", "clone", "zero", "converted", "buffer"] + ["refused:"] * 4
    for what, values in lines[:5]:
        np.testing.assert_allclose(np.array(values.split(), float), wanted, rtol=1e-5, atol=1e-5, err_msg=what)
    told = [words for _, words in lines[5:]]
    assert told[0].startswith("SetModelBuffer: expected the bytes of the package that python -m refluid export")
    assert told[1].startswith("EnableMkldnnQuantizer: packages are not quantised")
    assert told[2].startswith("mkldnn_quantizer_config: packages are not quantised")
    assert told[3].startswith("EnableTensorRtEngine: there is no TensorRT here")
    assert done.stderr == (
        "EnableProfile: a package is compiled and has no operators to time; there will be no table\n"
    )


def test_clones_predict_in_threads(drive, lenet):
    assert drive("threads", lenet, text=text_of(feed_of("lenet"))) == "100 of 100 the same\n"


def convolutional():
    """Strides, a dilation, paddings, a residual, batch norms, poolings of all kinds, 3 x 3 windows, many channels."""
    conv, pool = fluid.layers.conv2d, fluid.layers.pool2d
    image = fluid.data(name="image", shape=[None, 3, None, None], dtype="float32")
    x = fluid.layers.batch_norm(conv(image, 37, 3, stride=2, padding=1), act="relu", is_test=True)
    y = conv(x, 37, 3, padding=1, act="relu")  # by Winograd's patches
    x = fluid.layers.relu(x + conv(y, 37, 1))
    x = pool(x, 3, "max", pool_stride=2, pool_padding=1)
    x = pool(conv(x, 20, 3, padding=2, dilation=2, bias_attr=False), 2, "avg", pool_padding=1, exclusive=False)
    return fluid.layers.softmax(fluid.layers.fc(pool(x, pool_type="avg", global_pooling=True), size=11))


def test_a_convolutional_network_is_predicted_by_its_own_kernel(drive, tmp_path):
    """Images of other sizes have other steps; what is not finite is left to the model, which keeps NaN in its place."""
    save(lambda: ([{"image": None}], [convolutional()]), tmp_path)
    assert main(["export", str(tmp_path), "--to", "cpp", "--torchscript"]) == 0
    with zipfile.ZipFile(tmp_path / "__model__.pt2") as archive:
        assert [name for name in archive.namelist() if name.endswith("extra/network.txt")]
    random = np.random.RandomState(0)
    feeds = [random.randn(*sizes).astype("float32") for sizes in ([1, 3, 32, 32], [6, 3, 27, 41], [3, 3, 24, 24])]
    feeds.append(feeds[1].copy())
    feeds[-1][2] = 3e38  # its sums are infinite
    for image in feeds:
        (wanted,) = run_here(str(tmp_path), {"image": image}, None, None)
        assert np.isfinite(wanted).all(1).tolist() == [i != 2 or image is not feeds[-1] for i in range(len(image))]
        for mode in ("run", "zero"):
            (found,) = outputs_of(drive(mode, tmp_path, text=text_of({"image": image})))
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert drive("threads", tmp_path, text=text_of({"image": feeds[1]})) == "100 of 100 the same\n"


def test_a_damaged_network_is_refused(drive, tmp_path, lenet):
    for record, words in (("network.txt", "the description of its network is damaged"), ("network.bin", "are damaged")):
        broken = tmp_path / f"{record}.pt2"
        with zipfile.ZipFile(lenet / "model.pt2") as whole, zipfile.ZipFile(broken, "w") as copy:
            for name in whole.namelist():
                data = whole.read(name)
                copy.writestr(name, data[: len(data) - 24] if name.endswith(record) else data)
        assert words in drive("names", broken, code=1)


IMAGE = np.zeros([1, 1, 20, 20], "float32")


@pytest.mark.parametrize(
    "mode, feed, words",
    [
        ("run", {}, "Run: expected 1 inputs ('img'), got 0"),
        ("named", {"image": IMAGE}, "Run: expected the inputs 'img', got 'image'"),
        ("zero", {"image": IMAGE}, "the model has no input 'image'; it has 'img'"),
        ("run", {"img": IMAGE[0]}, "input 'img': expected the shape [-1, 1, 20, 20], got [1, 20, 20]"),
        ("zero", {"img": IMAGE[:, :, 1:]}, "input 'img': expected the shape [-1, 1, 20, 20], got [1, 1, 19, 20]"),
        ("run", {"img": IMAGE.astype("int64")}, "input 'img': expected float32, got int64"),
        ("zero", {"img": IMAGE.astype("int64")}, "input 'img': expected elements of float, got int64_t"),
        ("run", {"img": (IMAGE, [[1]])}, "input 'img': expected a LoD of 0 levels, got 1"),
    ],
)
def test_inputs_that_do_not_match_are_refused_with_words(mode, feed, words, drive, lenet):
    assert drive(mode, lenet, text=text_of(feed), code=1) == f"refused: {words}\n"


def test_a_buffer_that_is_too_short_is_refused(drive, lenet):
    declared, _ = text_of({"img": IMAGE}).split(" 400 ")
    short = f"{declared} 10 {'0.0 ' * 10}"
    assert "takes 1600 bytes, but its data has 40" in drive("run", lenet, text=short, code=1)


def test_folders_without_a_package_are_refused_with_the_command_that_makes_one(drive, tmp_path):
    folder = FOLDER / "lenet" / "separate"
    told = drive("names", folder, code=1)
    assert f"run: python -m refluid export {folder} --to cpp" in told
    assert "--model model --params FILE" in drive("names", FOLDER / "lenet" / "combined" / "model", "params", code=1)
    assert "there is no folder" in drive("names", tmp_path / "none", code=1)
    assert "holds no model" in drive("names", tmp_path, code=1)
    (tmp_path / "broken.pt2").write_text("nonsense")
    assert "cannot be used as a package" in drive("names", tmp_path / "broken.pt2", code=1)
    (tmp_path / "__model__.pt2").write_bytes((FOLDER / "lenet" / "combined" / "model").read_bytes())
    assert "cannot be used as a package" in drive("names", tmp_path, code=1)


def test_an_output_that_the_model_decides_at_run_time_has_its_lod(drive, tmp_path):
    words = fluid.data(name="words", shape=[None, 1], dtype="int64", lod_level=1)
    rows = fluid.layers.sequence_reverse(fluid.embedding(fluid.layers.squeeze(words, [1]), size=[10, 2]))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    fluid.io.save_inference_model(str(tmp_path), ["words"], [rows], exe)
    assert main(["export", str(tmp_path), "--to", "cpp", "--torchscript"]) == 0
    feed = {"words": (np.array([[1], [2], [3]]), [[2, 1]])}
    printed = drive("zero", tmp_path, text=text_of(feed))
    assert printed.splitlines()[1:3] == ["3 2 ", "0 2 3 ;"]
    np.testing.assert_allclose(outputs_of(printed)[0], run_here(str(tmp_path), feed, None, None)[0], atol=1e-6)


def test_the_library_says_what_it_needs(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(fluid.core.EnforceNotMet, match="cmake and .* is not here; install CMake and a C.. compiler"):
        paddle.sysconfig.get_lib()
    assert not os.listdir(tmp_path)
