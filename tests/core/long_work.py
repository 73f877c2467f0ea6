"""Run by test_progress.py, on a terminal and into a pipe: python long_work.py FOLDER URL MD5."""

import pathlib
import sys
import time

import numpy as np

import paddle.fluid as fluid
from paddle.incubate.hapi.loss import CrossEntropy
from paddle.incubate.hapi.model import Input, Model
from refluid.data.datasets import common
from refluid.export import command

folder, url, md5 = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def fit():
    layer = fluid.dygraph.Linear(4, 2, act="softmax")
    model = Model(layer, [Input([None, 4], "float32", name="x")], [Input([None, 1], "int64", name="y")])
    model.prepare(fluid.optimizer.SGD(0.1, parameter_list=model.parameters()), CrossEntropy())
    batch = [np.ones((3, 4), "float32"), np.zeros((3, 1), "int64")]
    model.fit([batch] * 4, log_freq=1, verbose=1)


def train_from_dataset():
    (folder / "lines").write_text("1 1\n1 2\n" * 4)
    number = fluid.data("number", [None, 1], "int64")
    doubled = fluid.layers.cast(number, "float32") * 2.0
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_batch_size(2)
    dataset.set_filelist([str(folder / "lines")] * 2)
    dataset.set_pipe_command("sleep 2; cat")
    dataset.set_use_var([number])
    exe = fluid.Executor(fluid.CPUPlace())
    exe.train_from_dataset(dataset=dataset, fetch_list=[doubled], fetch_info=["doubled"], print_period=4)


def export():
    read = command.read
    command.read = lambda *arguments: (time.sleep(2.5), read(*arguments))[1]
    x = fluid.data("x", [None, 4], "float32")
    exe = fluid.Executor(fluid.CPUPlace())
    answer = fluid.layers.fc(x, 2)
    exe.run(fluid.default_startup_program())
    fluid.io.save_inference_model(str(folder / "model"), ["x"], [answer], exe)
    command.export(str(folder / "model"), "torch")


def download():
    common.DATA_HOME = str(folder)
    common.download(url, "digits", md5)


for work in (fit, train_from_dataset, export, download):
    print(f"<{work.__name__}>", flush=True)
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        work()
    print(f"</{work.__name__}>", flush=True)
