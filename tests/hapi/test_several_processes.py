"""Model.fit with several processes: the data are dealt out, gradients averaged, metrics those of all, rank 0 saves."""

import numpy as np
import pytest
from tests.distributed.ranks import run

PROGRAM = """
import os, sys
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.io import Dataset
from paddle.incubate.hapi.loss import CrossEntropy
from paddle.incubate.hapi.metrics import Accuracy
from paddle.incubate.hapi.model import Input, Model

rank, count = int(os.environ["PADDLE_TRAINER_ID"]), int(os.environ["PADDLE_TRAINERS_NUM"])

class Points(Dataset):
    def __init__(self, count):
        rng = np.random.RandomState(0)
        self.x = rng.rand(count, 6).astype("float32")
        self.y = (self.x.sum(1, keepdims=True) > 3).astype("int64")

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    def __len__(self):
        return len(self.x)

class Net(Model):
    def __init__(self):
        super(Net, self).__init__()
        self.hidden = fluid.dygraph.Linear(6, 8, act="tanh")
        self.out = fluid.dygraph.Linear(8, 2, act="softmax")

    def forward(self, x):
        return self.out(self.hidden(x))

if sys.argv[1] == "imperative":
    fluid.enable_dygraph()
fluid.default_startup_program().random_seed = 5 if rank == 0 else 70
fluid.default_main_program().random_seed = 5 if rank == 0 else 70
model = Net()
model.prepare(
    fluid.optimizer.Adam(0.05, parameter_list=model.parameters() if sys.argv[1] == "imperative" else None),
    CrossEntropy(), Accuracy(),
    inputs=[Input([None, 6], "float32", name="x")], labels=[Input([None, 1], "int64", name="y")])
model.fit(Points(32), batch_size=8 // count, epochs=3, shuffle=False, verbose=2, log_freq=2, save_dir=f"saved.{count}")
found = model.evaluate(Points(13), batch_size=3, verbose=0)
(scores,) = model.predict(Points(13), batch_size=3, stack_outputs=True)
loss = model.evaluate(Points(12), batch_size=3, verbose=0)["loss"]
np.savez(f"{sys.argv[1]}.{count}.{rank}.npz", acc=found["acc"], loss=loss, scores=scores)
"""


@pytest.mark.parametrize("mode", ["imperative", "static"])
def test_two_processes_train_and_evaluate_as_one(tmp_path, mode):
    printed = run(tmp_path, PROGRAM.replace("sys.argv[1]", repr(mode)), 2)
    run(tmp_path, PROGRAM.replace("sys.argv[1]", repr(mode)), 1)
    one, first, second = (np.load(tmp_path / f"{mode}.{name}.npz") for name in ("1.0", "2.0", "2.1"))
    for key in ("acc", "loss", "scores"):
        np.testing.assert_array_equal(first[key], second[key])
        np.testing.assert_allclose(first[key], one[key], atol=2e-5, err_msg=key)
    assert one["scores"].shape == (13, 2)
    assert "Epoch 3/3" in printed[0].out and not printed[1].out
    assert (tmp_path / "saved.2" / "final.pdparams").exists()
