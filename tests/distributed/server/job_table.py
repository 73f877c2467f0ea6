"""A table of small trainings, each run by two servers and two trainers, and by one process on the joined batch.

Run as a script: all of the table one after the other, in the role that the environment names. Every job has endpoints
of its own, so that nobody meets a server of the job before.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers, optimizer
from paddle.fluid.clip import GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue
from paddle.fluid.transpiler import HashName, RoundRobin
from paddle.fluid.transpiler.ps_dispatcher import PSDispatcher

STEPS = 5
SEED = 3


class LastFirst(PSDispatcher):
    """A dispatcher of one's own."""

    def dispatch(self, varlist: list[Any]) -> list[str]:
        return [self._eps[-1 - i % len(self._eps)] for i in range(len(varlist))]


class Case:
    """One training.

    Args:
        make: the optimizer.
        config: settings of DistributeTranspilerConfig; `call` those of transpile.
        clips: trainers clip before servers take the mean, so that both get the same half of the data.
        decay: the regularizer of the first layer.
        before: runs on a trainer before transpile.
    """

    def __init__(
        self, make: Callable[[], Any], *, config: dict | None = None, call: dict | None = None, clips: bool = False,
        decay: Any = None, before: Callable[[], Any] | None = None,
    ):  # fmt: skip
        self.make, self.config, self.call = make, config or {}, call or {}
        self.clips, self.decay, self.before = clips, decay, before

    def build(self) -> Any:
        """The network; returns its cost."""
        x, y = layers.data("x", [13]), layers.data("y", [1])
        spread = fluid.initializer.NumpyArrayInitializer(
            np.linspace(-0.1, 0.1, 13 * 1300, dtype="float32").reshape(13, 1300)
        )
        constant = fluid.initializer.Constant(0.02)
        attr = fluid.ParamAttr(initializer=spread, regularizer=self.decay)
        hidden = layers.fc(x, 1300, act="tanh", param_attr=attr)  # cut in two
        guess = layers.fc(hidden, 1, param_attr=fluid.ParamAttr(initializer=constant))
        cost = layers.mean(layers.square_error_cost(guess, y))
        self.make().minimize(cost)
        return cost

    def train(self, exe: Any, program: Any, cost: Any, part: slice) -> list[float]:
        chance = np.random.RandomState(SEED)
        losses = []
        for _ in range(STEPS):
            x = chance.rand(8, 13).astype("float32")
            if self.clips:
                x[4:] = x[:4]
            feed = {"x": x[part], "y": x.sum(1, keepdims=True)[part]}
            losses.append(exe.run(program, feed=feed, fetch_list=[cost])[0].item())
        return losses


def _sgd() -> Any:
    return optimizer.SGD(0.05)


def _clipped_the_older_way(clip: Any) -> Any:
    warnings.filterwarnings("ignore", "set_gradient_clip")
    fluid.clip.set_gradient_clip(clip)
    return _sgd()


CASES: dict[str, Case] = {
    "SGD": Case(_sgd),
    "Momentum": Case(lambda: optimizer.Momentum(0.02, 0.9, use_nesterov=True)),
    "LarsMomentum": Case(lambda: optimizer.LarsMomentum(0.1, 0.9), config={"slice_var_up": False}),
    "Adam": Case(lambda: optimizer.Adam(0.01)),
    "Adamax": Case(lambda: optimizer.Adamax(0.01)),
    "Adagrad": Case(lambda: optimizer.Adagrad(0.05)),
    "DecayedAdagrad": Case(lambda: optimizer.DecayedAdagrad(0.05)),
    "RMSProp": Case(lambda: optimizer.RMSProp(0.01, momentum=0.5, centered=True)),
    "Ftrl": Case(lambda: optimizer.Ftrl(0.1, l1=0.01, l2=0.01)),
    "exponential_decay": Case(lambda: optimizer.SGD(layers.exponential_decay(0.05, 2, 0.5, staircase=True))),
    "natural_exp_decay": Case(lambda: optimizer.SGD(layers.natural_exp_decay(0.05, 2, 0.5))),
    "inverse_time_decay": Case(lambda: optimizer.SGD(layers.inverse_time_decay(0.05, 2, 0.5))),
    "polynomial_decay": Case(lambda: optimizer.Momentum(layers.polynomial_decay(0.05, 4, 0.001, cycle=True), 0.9)),
    "piecewise_decay": Case(lambda: optimizer.Adam(layers.piecewise_decay([2, 3], [0.05, 0.02, 0.01]))),
    "noam_decay": Case(lambda: optimizer.Adam(layers.noam_decay(64, 3))),
    "cosine_decay": Case(lambda: optimizer.SGD(layers.cosine_decay(0.05, 2, 4))),
    "linear_lr_warmup": Case(lambda: optimizer.SGD(layers.linear_lr_warmup(0.05, 3, 0.001, 0.05))),
    "clip by global norm": Case(
        lambda: optimizer.SGD(0.05, grad_clip=GradientClipByGlobalNorm(0.5)), clips=True
    ),
    "clip by norm": Case(lambda: optimizer.Adam(0.01, grad_clip=GradientClipByNorm(0.3)), clips=True),
    "clip by value": Case(lambda: _clipped_the_older_way(GradientClipByValue(0.01)), clips=True),
    "L1 decay": Case(_sgd, decay=fluid.regularizer.L1Decay(0.01)),
    "L2 decay of all": Case(lambda: optimizer.Momentum(0.02, 0.9, regularization=fluid.regularizer.L2Decay(0.1))),
    "not sliced": Case(_sgd, call={"slice_var_up": False}),
    "HashName": Case(_sgd, call={"split_method": HashName}),
    "RoundRobin, small blocks": Case(_sgd, config={"split_method": RoundRobin, "min_block_size": 8193}),
    "one's own dispatcher": Case(lambda: optimizer.Adam(0.01), config={"split_method": LastFirst}),
    "memory_optimize first": Case(
        _sgd, before=lambda: fluid.memory_optimize(fluid.default_main_program(), skip_grads=True)
    ),
}  # fmt: skip


def transpiled(case: Case, index: int, servers: str) -> Any:
    config = fluid.DistributeTranspilerConfig()
    for name, value in case.config.items():
        setattr(config, name, value)
    t = fluid.DistributeTranspiler(config)
    t.transpile(index, pservers=servers, trainers=2, **case.call)
    return t


def serve(case: Case, index: int, servers: str) -> None:
    case.build()
    t = transpiled(case, index, servers)
    here = servers.split(",")[index]
    if index:
        main, startup = t.get_pserver_programs(here)
    else:
        main = t.get_pserver_program(here)
        startup = t.get_startup_program(here, main)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    exe.run(main)


def train(case: Case, index: int, servers: str) -> list[float]:
    cost = case.build()
    if case.before is not None:
        case.before()
    main = transpiled(case, index, servers).get_trainer_program()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    losses = case.train(exe, main, cost, slice(4 * index, 4 * index + 4))
    exe.close()
    return losses


def alone(case: Case) -> list[float]:
    cost = case.build()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return case.train(exe, fluid.default_main_program(), cost, slice(None))


def in_its_own_world(function: Callable[..., Any], *args: Any) -> Any:
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.Scope()):
            return function(*args)


def main() -> None:
    role, index, ports = os.environ["ROLE"], int(os.environ["INDEX"]), json.loads(os.environ["PORTS"])
    for (name, case), pair in zip(CASES.items(), ports, strict=True):
        if role == "alone":
            print(json.dumps([name, in_its_own_world(alone, case)]), flush=True)
            continue
        servers = ",".join(f"127.0.0.1:{port}" for port in pair)
        found = in_its_own_world(serve if role == "server" else train, case, index, servers)
        if role == "trainer":
            print(json.dumps([name, found]), flush=True)


if __name__ == "__main__":
    main()
