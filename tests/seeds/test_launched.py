"""The tutorials' programs for several cards, started as the tutorials start them, by paddle.distributed.launch."""

import re
import sys
import textwrap
from pathlib import Path

import numpy as np
from tests.distributed.nodes import two_nodes
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


def test_the_lines_of_1_7_train_on_four_cards(tmp_path, digits):
    digits(0, 16 * 12)
    step = textwrap.indent(joined("dygraph_1_7/data_parallel_step.py"), " " * 8)
    script = f"""
import numpy as np
import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph.nn import Conv2D, Pool2D, Linear
true = True
{joined("dygraph_1_7/mnist.py", "dygraph_1_7/data_parallel.py")}
with fluid.dygraph.guard(place):
{textwrap.indent(joined("dygraph_1_7/data_parallel_model.py"), " " * 4)}
    mnist = model
    optimizer = fluid.optimizer.SGDOptimizer(learning_rate=0.01, parameter_list=model.parameters())
    for batch_id, data in enumerate(valid_loader()):
        image = fluid.dygraph.to_variable(np.array([x[0].reshape(1, 28, 28) for x in data]).astype('float32'))
        label = fluid.dygraph.to_variable(np.array([x[1] for x in data]).astype('int64').reshape(-1, 1))
        predict, acc = model(image, label)
        avg_loss = fluid.layers.mean(fluid.layers.cross_entropy(predict, label))
{step}
        optimizer.minimize(avg_loss)
        model.clear_gradients()
    print('end', batch_id, [float(p.numpy().sum()) for p in model.parameters()])
"""
    _, logs = launch(tmp_path, ["--selected_gpus=0,1,2,3", "--log_dir", "./mylog"], script)
    ends = {log.splitlines()[-1] for log in logs}
    assert len(logs) == 4 and len(ends) == 1 and ends.pop().startswith("end 2 ")  # 12 batches, 3 each


def test_the_program_of_nccl2_trains_on_two_machines(tmp_path):
    text = joined("static_1_5/nccl2.py")
    before = """
import numpy as np
import paddle.fluid as fluid
x = fluid.layers.data(name="x", shape=[13], dtype="float32")
y = fluid.layers.data(name="y", shape=[1], dtype="float32")
cost = fluid.layers.square_error_cost(input=fluid.layers.fc(input=x, size=1), label=y)
avg_cost = fluid.layers.mean(cost)
fluid.optimizer.SGD(learning_rate=0.01).minimize(avg_cost)
use_cuda, loss_name = False, avg_cost.name
"""
    after = """
fluid.Executor(fluid.CPUPlace()).run(fluid.default_startup_program())
for step in range(4):
    rows = np.random.RandomState(2 * step + trainer_id).rand(8, 14).astype("float32")
    exe.run([loss_name], feed={"x": rows[:, :13], "y": rows[:, 13:]})
print(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()).tobytes().hex())
"""
    # "get actual trainer id here": the second machine says that it is the second
    actual = text.replace("trainer_id = 0", "trainer_id = 1").replace(
        'endpoint = "192.168.1.1', 'endpoint = "192.168.1.2'
    )
    for number, program in enumerate((text, actual)):
        (tmp_path / f"train_{number}.py").write_text(before + program + after, encoding="utf-8")
    with two_nodes("192.168.1.1", "192.168.1.2") as spaces:
        commands = [["ip", "netns", "exec", space, sys.executable, f"train_{i}.py"] for i, space in enumerate(spaces)]
        with started(commands, [environment(), environment()], tmp_path) as processes:
            found = ended(processes)
    assert [one.code for one in found] == [0, 0], found
    assert found[0].out == found[1].out and len(found[0].out) == 13 * 8 + 1
