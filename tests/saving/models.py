"""What the tests of saving save: a small network that has been trained a little, with optimizer state."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import paddle.fluid as fluid


@dataclass
class Trained:
    main: Any
    startup: Any
    loss: Any
    out: Any
    exe: Any

    feed = {"x": np.linspace(-1, 1, 20, dtype="float32").reshape(5, 4), "y": np.ones((5, 1), "float32")}

    def step(self) -> float:
        return self.exe.run(self.main, feed=self.feed, fetch_list=[self.loss])[0].item()

    def values(self) -> dict[str, np.ndarray]:
        """Copies of all persistables."""
        scope = fluid.global_scope()
        return {v.name: np.array(scope.find_var(v.name).get_tensor()) for v in self.main.list_vars() if v.persistable}


def trained(steps: int = 2) -> Trained:
    """Built afresh, in the present scope."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        x = fluid.layers.data(name="x", shape=[4], dtype="float32")
        y = fluid.layers.data(name="y", shape=[1], dtype="float32")
        out = fluid.layers.fc(input=x, size=3, act="tanh")
        out = fluid.layers.fc(input=out, size=1)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(input=out, label=y))
        fluid.optimizer.Adam(learning_rate=0.05).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    found = Trained(main, startup, loss, out, exe)
    for _ in range(steps):
        found.step()
    return found


def same(left: dict[str, np.ndarray], right: dict[str, np.ndarray]) -> bool:
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)
