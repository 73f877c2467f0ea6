"""Starting is quick: building and training the usual networks brings in no compiler of torch's, and no slim."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import paddle.fluid as fluid

image, label = fluid.data("image", [None, 1, 28, 28]), fluid.data("label", [None, 1], "int64")
hidden = fluid.layers.pool2d(fluid.layers.conv2d(image, 4, 3, act="relu"), 2, "max", 2)
hidden = fluid.layers.dropout(fluid.layers.batch_norm(hidden), 0.5)
out = fluid.layers.fc(fluid.layers.reshape(hidden, [-1, 4 * 13 * 13]), 10, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
accuracy = fluid.layers.accuracy(out, label)
fluid.optimizer.Adam(0.01, regularization=fluid.regularizer.L2Decay(1e-4)).minimize(loss)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
feed = {"image": np.zeros((4, 1, 28, 28), "float32"), "label": np.zeros((4, 1), "int64")}
exe.run(feed=feed, fetch_list=[loss, accuracy])
with fluid.dygraph.guard():
    layer = fluid.dygraph.Linear(4, 2)
    loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(np.ones((3, 4), "float32"))))
    loss.backward()
    fluid.optimizer.Adam(0.01, parameter_list=layer.parameters()).minimize(loss)
print(*(name for name in ("torch._dynamo", "torch._inductor", "sympy", "refluid.contrib.slim") if name in sys.modules))
"""


@pytest.mark.parametrize("compiled", ["0", "1"])
def test_training_imports_no_compiler_and_no_slim(compiled):
    variables = {**os.environ, "FLAGS_refluid_compile": compiled}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, env=variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
