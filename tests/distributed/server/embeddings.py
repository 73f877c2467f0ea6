"""Networks with embeddings that servers hold, run by one process or by servers and trainers."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import torch

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.distributed.server.row_init import RowInit
from tests.distributed.server.threads import Role, built

HEIGHT, WIDTH, STEPS = 3000, 8, 5  # 3000 x 8 is cut in two
OPTIMIZERS = {
    "sgd": lambda: fluid.optimizer.SGD(0.1),
    "momentum": lambda: fluid.optimizer.Momentum(0.1, 0.9),
    "adagrad": lambda: fluid.optimizer.Adagrad(0.1),
    "adam": lambda: fluid.optimizer.Adam(0.1),
    "lazy adam": lambda: fluid.optimizer.Adam(0.1, lazy_mode=True),
}


def first_rows() -> np.ndarray:
    """How a distributed table begins."""
    return RowInit("uniform", -0.5, 0.5, seed=3).rows(torch.arange(HEIGHT), (WIDTH,), torch.float32).numpy()


def network(distributed: bool, scale: float = 1.0) -> tuple[Any, Any]:
    """(guess, loss); two slots that share a table, and one of lookup_table_v2 with a table of its own."""
    words = layers.data("words", [1], dtype="int64", lod_level=1)
    single = layers.data("single", [1], dtype="int64")
    y = layers.data("y", [1])
    begin = fluid.initializer.NumpyArrayInitializer(first_rows())  # which is cut as the table is
    if distributed:
        begin = fluid.initializer.Uniform(-0.5, 0.5, seed=3)
    shared = fluid.ParamAttr(name="shared", initializer=begin)
    options = {"is_sparse": True, "is_distributed": distributed, "param_attr": shared, "padding_idx": 4}
    parts = [
        layers.sequence_pool(layers.embedding(words, [HEIGHT, WIDTH], **options), "sum"),
        layers.embedding(single, [HEIGHT, WIDTH], **options),
    ]
    if not distributed:
        pair = fluid.data("pair", [None, 2], dtype="int64")
        own = fluid.ParamAttr(name="own", initializer=fluid.initializer.Constant(0.05))
        found = fluid.embedding(pair, [HEIGHT, WIDTH], is_sparse=True, param_attr=own)
        parts.append(layers.reduce_sum(found, dim=1))
    if distributed:  # the gradients of distributed tables are added, not averaged: nothing else is trained beside
        guess = layers.reduce_sum(layers.concat(parts, 1), dim=1, keep_dim=True)
    else:
        constant = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1))
        guess = layers.fc(layers.concat(parts, 1), 1, param_attr=constant)
    return guess, layers.scale(layers.mean(layers.square_error_cost(guess, y)), scale)


def batches(part: slice, empty_half: bool) -> list[dict[str, Any]]:
    chance = np.random.RandomState(5)
    high = HEIGHT // 2 if empty_half else HEIGHT  # the second server has no row of the first half
    found = []
    for _ in range(STEPS):
        lengths = chance.randint(1, 5, 8)
        words = [chance.randint(0, high, n) for n in lengths]
        words[0][0] = words[-1][-1] = 4  # padding
        words[1][:] = words[5][0]  # repeated, on one trainer and across both
        single = chance.randint(0, high, (8, 1))
        single[2] = single[6] = 4
        pair = chance.randint(0, high, (8, 2))
        y = chance.rand(8, 1).astype("float32")
        mine = words[part]
        lod = fluid.create_lod_tensor(
            np.concatenate(mine).reshape(-1, 1).astype("int64"), [[len(one) for one in mine]], fluid.CPUPlace()
        )
        found.append({"words": lod, "single": single[part], "pair": pair[part], "y": y[part]})
    return found


def feed_of(program: Any, batch: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in batch.items() if program.global_block().has_var(name)}


def train(role: Role, part: slice, empty_half: bool = False) -> list[list[float]]:
    """[losses, guesses of the whole first batch at the end]."""
    guess, loss = (made.name for made in role.made)
    test = role.main.clone(for_test=True)
    losses = [
        role.run(role.main, feed=feed_of(role.main, batch), fetch_list=[loss])[0].item()
        for batch in batches(part, empty_half)
    ]
    whole = batches(slice(0, 8), empty_half)[0]
    guesses = role.run(test, feed=feed_of(test, whole), fetch_list=[guess])[0]
    return [losses, guesses.flatten().tolist()]


def minimized(optimizer: str, distributed: bool, scale: float = 1.0) -> tuple[Any, Any]:
    made = network(distributed, scale)
    OPTIMIZERS[optimizer]().minimize(made[1])
    return made


def alone(optimizer: str, distributed: bool, empty_half: bool = False) -> list[Any]:
    """What one process has on the joined batches.

    Its gradients are the mean over all examples. Servers add those of a distributed table up, which is twice that.
    """
    role = built(lambda: minimized(optimizer, distributed, 2.0 if distributed else 1.0))
    role.run(role.startup)
    role.scope.find_var("shared").get_tensor().set(first_rows(), fluid.CPUPlace())
    losses, guesses = train(role, slice(0, 8), empty_half)
    return [np.array(losses) / (2 if distributed else 1), guesses]


def by_environment(optimizer: str, distributed: bool) -> None:
    """The server or trainer that the environment names; a trainer prints what `train` gives."""
    index, servers = int(os.environ["INDEX"]), os.environ["ENDPOINTS"]
    t = fluid.DistributeTranspiler()
    role = built(lambda: minimized(optimizer, distributed), lambda _: t.transpile(index, pservers=servers, trainers=2))
    if os.environ["ROLE"] == "server":
        main, startup = t.get_pserver_programs(servers.split(",")[index])
        role.run(startup)
        role.run(main)
        return
    role.main = t.get_trainer_program()
    role.run(role.startup)
    print(json.dumps(train(role, slice(index * 4, index * 4 + 4))))
    fluid.Executor(fluid.CPUPlace()).close()
