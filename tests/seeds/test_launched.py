"""The tutorials' programs for several cards, started as the tutorials start them, by paddle.distributed.launch."""

import re
import sys
from pathlib import Path

import numpy as np
from tests.distributed.ranks import ended, environment, started

import paddle.fluid as fluid

PROGRAMS = Path(__file__).parent / "programs"
# What the tutorials leave out, and where the digits of the test lie.
PRELUDE = """
import warnings
warnings.filterwarnings("ignore")
from refluid.data.datasets import common
common.DATA_HOME = {home!r}
"""
IMPORTS_1_5 = """
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.fluid.optimizer import AdamOptimizer
from paddle.fluid.dygraph.base import to_variable
from paddle.fluid.dygraph import Conv2D, Pool2D, FC
BATCH_SIZE, epoch_num = 64, 2
"""


def launch(tmp_path, arguments, script, **variables):
    (tmp_path / "train.py").write_text(PRELUDE.format(home=str(tmp_path / "home")) + script, encoding="utf-8")
    command = [sys.executable, "-m", "paddle.distributed.launch", *arguments, "train.py"]
    with started([command], [environment(**variables)], tmp_path) as processes:
        (found,) = ended(processes)
    logs = [file.read_text() for file in sorted((tmp_path / "mylog").iterdir())]
    assert found.code == 0, found.out + found.err + "\n".join(logs)
    return found, logs


def joined(*names):
    return "\n".join((PROGRAMS / name).read_text(encoding="utf-8") for name in names)


def test_the_program_of_1_5_trains_on_two_cards(tmp_path, digits):
    digits(64 * 16)
    script = IMPORTS_1_5 + joined(
        "dygraph_1_5/simple_img_conv_pool.py", "dygraph_1_5/mnist.py", "dygraph_1_5/data_parallel.py"
    )
    script += "\nprint('end', batch_id, avg_loss.numpy()[0], [float(p.numpy().sum()) for p in mnist.parameters()])\n"
    found, logs = launch(tmp_path, ["--selected_gpus=0,1", "--log_dir", "./mylog"], script)
    assert "trainers_endpoints: 127.0.0.1:" in found.out and "nranks: 2" in found.out
    ends = [re.search(r"end (\d+) (\S+) (\[.*\])", log) for log in logs]
    assert [end.group(1) for end in ends] == ["7", "7"]  # 16 batches, 8 each
    assert ends[0].group(3) == ends[1].group(3)  # the same parameters
    assert sum(float(end.group(2)) for end in ends) < 2.1  # the loss began at 2.3


def test_the_program_of_2_0_trains_on_the_visible_cards_and_the_first_process_saves(tmp_path, digits):
    digits(64 * 12)
    script = joined(
        "imperative_2_0/readers.py", "imperative_2_0/conv_pool.py", "imperative_2_0/mnist.py",
        "imperative_2_0/data_parallel.py",
    )  # fmt: skip
    found, _ = launch(tmp_path, ["--log_dir", "./mylog"], script, CUDA_VISIBLE_DEVICES="0,1")
    assert "selected_gpus: 0,1\n" in found.out
    saved, _ = fluid.load_dygraph(str(tmp_path / "work_0"))
    assert all(np.isfinite(value).all() for value in saved.values()) and len(saved) == 5
