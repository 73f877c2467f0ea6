"""What happens where the kernels cannot be compiled, or the cache is damaged: one warning, the same results."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from refluid.native import build

_DISTANCE = """
import warnings
import paddle.fluid as fluid
import numpy as np
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    with fluid.dygraph.guard():
        pair = [fluid.dygraph.to_variable(np.array([row])) for row in ([1, 2, 3, 4], [1, 3, 4, 4])]
        four = fluid.dygraph.to_variable(np.array([4]))
        for _ in range(2):
            distance, _ = fluid.layers.edit_distance(*pair, normalized=False, input_length=four, label_length=four)
            print(distance.numpy())
print([str(one.message) for one in told if "kernels" in str(one.message) or "damaged" in str(one.message)])
"""


def tell(folder: Path, **variables: str) -> list[str]:
    words = [sys.executable, "-c", _DISTANCE]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), **variables}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_without_a_compiler_python_computes_and_says_so_once(tmp_path):
    *results, told = tell(tmp_path, CXX="no-such-compiler")
    assert results == ["[[2.]]"] * 2
    assert told.count("no-such-compiler") == 1


def test_a_cache_that_cannot_be_written_is_told_once(tmp_path):
    (tmp_path / "refluid").write_text("a file where a folder should be")
    *results, told = tell(tmp_path)
    assert results == ["[[2.]]"] * 2
    assert told.count("cannot be built") == 1


def test_the_flag_chooses_python_without_a_word(tmp_path):
    assert tell(tmp_path, CXX="no-such-compiler", FLAGS_refluid_native="0")[-1] == "[]"
    assert not (tmp_path / "refluid").exists()


@pytest.mark.skipif(build.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("damage", [lambda code: b"damaged", lambda code: code[: len(code) // 2], lambda code: b""])
def test_a_damaged_library_is_made_again_with_one_warning(damage, tmp_path):
    assert tell(tmp_path)[-1] == "[]"
    (library,) = (tmp_path / "refluid").iterdir()
    library.write_bytes(damage(library.read_bytes()))
    *results, told = tell(tmp_path)
    assert results == ["[[2.]]", "[[2.]]"]
    assert told.count("is damaged; it is compiled again") == 1
    assert library.stat().st_size > 1000
    assert [path.name for path in (tmp_path / "refluid").iterdir()] == [library.name]


@pytest.mark.skipif(build.compiler() is None, reason="no C++ compiler")
def test_of_processes_that_start_at_once_one_compiles(tmp_path):
    compiler = tmp_path / "c++"
    compiler.write_text(f'#!/bin/sh\necho compiled >> {tmp_path / "calls"}\nexec {build.compiler()} "$@"\n')
    compiler.chmod(0o755)
    with ThreadPoolExecutor() as threads:
        told = list(threads.map(lambda _: tell(tmp_path, CXX=str(compiler)), range(3)))
    assert told == [["[[2.]]", "[[2.]]", "[]"]] * 3
    assert (tmp_path / "calls").read_text() == "compiled\n"
