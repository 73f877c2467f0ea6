"""Static programs trained by several processes: the losses and parameters of one process on the joined batch."""

import re

import numpy as np
import pytest

from tests.distributed.ranks import run, run_ranks

PROGRAM = """
import os, sys
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import DistributedStrategy, fleet

rank, count = int(os.environ["PADDLE_TRAINER_ID"]), int(os.environ["PADDLE_TRAINERS_NUM"])
endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"]
own = os.environ["PADDLE_CURRENT_ENDPOINT"]

OPTIMIZERS = {
    "sgd": lambda: fluid.optimizer.SGD(0.1),
    "momentum": lambda: fluid.optimizer.Momentum(0.1, 0.9),
    "adam": lambda: fluid.optimizer.Adam(0.01),
    "clip": lambda: fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.05)),
    "decay": lambda: fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(0.1)),
}

def network():
    words = fluid.data("words", [None, 3], "int64")
    image = fluid.data("image", [None, 1, 6, 6])
    label = fluid.data("label", [None, 1], "int64")
    seen = fluid.layers.conv2d(image, 4, 3, act="relu")
    embedded = fluid.layers.reduce_mean(fluid.embedding(words, [20, 6], is_sparse=True), 1)
    hidden = fluid.layers.fc([seen, embedded], 16, act="tanh")
    return fluid.layers.mean(fluid.layers.cross_entropy(fluid.layers.fc(hidden, 5, act="softmax"), label))

def batch(step):
    rng = np.random.RandomState(step)
    whole = {"words": rng.randint(0, 20, (8, 3)), "image": rng.rand(8, 1, 6, 6).astype("float32"),
             "label": rng.randint(0, 5, (8, 1))}
    return {name: value[rank::count] for name, value in whole.items()}

def transpiled(mode, loss, collective_mode=None):
    config = fluid.DistributeTranspilerConfig()
    config.mode, config.collective_mode, config.nccl_comm_num = mode, collective_mode, 2
    fluid.DistributeTranspiler(config=config).transpile(trainer_id=rank, trainers=endpoints, current_endpoint=own)

def build(mode, optimizer):
    loss = network()
    main = fluid.default_main_program()
    if mode.startswith("fleet"):
        fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
        strategy = DistributedStrategy()
        if mode == "fleet_collective":
            strategy.mode, strategy.collective_mode = "collective", "grad_allreduce"
        fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
        return loss, lambda: fleet.main_program
    optimizer.minimize(loss)
    if mode == "launcher":  # nothing is transpiled: launch has said who trains
        return loss, lambda: fluid.ParallelExecutor(False, loss.name, main, num_trainers=count, trainer_id=rank)
    if count > 1 and mode in ("grad_allreduce", "local_sgd"):
        transpiled("collective", loss, mode)
    elif count > 1:
        transpiled("nccl2", loss)
        strategy = fluid.BuildStrategy()
        strategy.num_trainers, strategy.trainer_id = count, rank
        places = fluid.cpu_places(2) if mode == "places" else None
        if mode == "executor":
            return loss, lambda: fluid.ParallelExecutor(False, loss.name, main, num_trainers=count, trainer_id=rank)
        return loss, lambda: fluid.CompiledProgram(main).with_data_parallel(loss.name, strategy, places=places)
    return loss, lambda: main

def run(exe, program, feed, fetch):
    if isinstance(program, fluid.ParallelExecutor):
        return program.run(fetch, feed)
    return exe.run(program, feed, fetch)

def save_and_load(loss, exe):
    # all workers save at the same time, into one folder; what comes back is what was there
    from paddle.fluid.incubate.fleet.collective import TrainStatus
    before = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
    fleet.save_check_point(exe, "checkpoints", TrainStatus(3))
    fleet.barrier_worker()
    fluid.global_scope().find_var("fc_0.w_0").get_tensor().set(np.zeros_like(before), fluid.CPUPlace())
    assert fleet.load_check_point(exe, "checkpoints", rank) == TrainStatus(3)
    assert np.array_equal(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()), before)
    softmax = fluid.default_main_program().global_block().var("fc_1.tmp_2")
    if fleet.is_first_worker():
        fleet.save_inference_model(exe, "model", ["words", "image"], [softmax])
        fleet.save_persistables(exe, "persistables")
    fleet.barrier_worker()
    program, feeds, fetches = fluid.io.load_inference_model("model", exe)
    assert not [op.type for op in program.global_block().ops if op.type.startswith(("c_", "gen_"))]
    fed = {name: value for name, value in batch(0).items() if name != "label"}
    assert exe.run(program, fed, fetches)[0].shape == (8 // count, 5)
    fluid.io.load_persistables(exe, "persistables", fluid.default_main_program())
    assert np.array_equal(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()), before)

def train(mode, optimizer, steps=5, name=""):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.Scope()):
            fluid.default_startup_program().random_seed = 3 if rank == 0 else 50 + rank
            loss, program = build(mode, OPTIMIZERS[optimizer]())
            exe = fluid.Executor()
            exe.run(fluid.default_startup_program())
            program = program()
            fetched = []
            for step in range(steps):  # ranks fetch different things now and then
                fetch = [loss.name] if rank or step % 2 else [loss.name, "conv2d_0.w_0"]
                fetched.append(run(exe, program, batch(step), fetch)[0].mean())
            state = {p.name: np.array(fluid.global_scope().find_var(p.name).get_tensor())
                     for p in fluid.default_main_program().all_parameters()}
            np.savez(f"{name}{mode}.{optimizer}.{count}.{rank}.npz", losses=fetched, **state)
            if mode == "fleet" and count > 1:
                save_and_load(loss, exe)

for mode, optimizer in CASES:
    train(mode, optimizer)
train("nccl2", "adam", name="again.")
print("trained")
"""
CASES = [
    ("launcher", "adam"), ("nccl2", "sgd"), ("nccl2", "adam"), ("nccl2", "clip"), ("nccl2", "decay"),
    ("places", "adam"), ("executor", "momentum"), ("grad_allreduce", "momentum"),
    ("grad_allreduce", "clip"), ("local_sgd", "sgd"), ("fleet", "momentum"), ("fleet_collective", "adam"),
]  # fmt: skip


@pytest.mark.parametrize("count", [2, 4])
def test_several_processes_train_as_one_on_the_joined_batch(tmp_path, count):
    cases = CASES if count == 2 else [case for case in CASES if case[0] in ("nccl2", "fleet")]
    program = f"CASES = {cases!r}\n" + PROGRAM
    run(tmp_path, program, count)
    run(tmp_path, program, 1)
    for mode, optimizer in cases:
        one = np.load(tmp_path / f"{mode}.{optimizer}.1.0.npz")
        all_of_them = [np.load(tmp_path / f"{mode}.{optimizer}.{count}.{rank}.npz") for rank in range(count)]
        losses = np.mean([found["losses"] for found in all_of_them], 0)
        np.testing.assert_allclose(losses, one["losses"], atol=1e-6, err_msg=f"{mode} {optimizer}")
        for key in one.files[1:]:
            for found in all_of_them:
                assert np.array_equal(found[key], all_of_them[0][key]), f"{mode}, {optimizer}: {key} differs"
            np.testing.assert_allclose(all_of_them[0][key], one[key], atol=1e-6, err_msg=f"{mode} {optimizer} {key}")
    for rank in range(count):  # two runs with one seed
        first, second = (np.load(tmp_path / f"{name}nccl2.adam.{count}.{rank}.npz") for name in ("", "again."))
        assert all(np.array_equal(first[key], second[key]) for key in first.files)


def test_sums_go_in_buckets_that_start_early(tmp_path):
    found = run(
        tmp_path,
        """
import os
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import GradAllReduce
x = fluid.data("x", [None, 300])
hidden = x
for _ in range(4):
    hidden = fluid.layers.fc(hidden, 300)
loss = fluid.layers.mean(hidden)
fluid.optimizer.SGD(0.1).minimize(loss)
endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")
rank = int(os.environ["PADDLE_TRAINER_ID"])
GradAllReduce(1).transpile(None, None, rank, endpoints, endpoints[rank], False)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
exe.run(feed={"x": np.ones((2, 300), "float32")})
source = fluid.default_main_program().to_source(feed=["x"])
lines = [line.split("  #")[0].strip() for line in source.splitlines()]
print([line.partition("(")[0].rpartition(" ")[2] for line in lines if "exchange" in line and "del" not in line])
starts = [i for i, line in enumerate(lines) if "start_exchange" in line]
last_gradient = max(i for i, line in enumerate(lines) if "mul_grad" in line)
print(starts[0] < last_gradient, lines[0])
print([line.split("(")[0].split(" = ")[1].rstrip("_0123456789") for line in lines if "mul_grad" in line])
waits = [i for i, line in enumerate(lines) if "wait_for_exchange" in line]
print([any("sgd" in line for line in lines[first:last]) for first, last in zip(waits, [*waits[1:], len(lines)])])
""",
    )
    # 4 layers of 90,300 floats: the first bucket is closed when it has a megabyte, the second has the rest
    kinds = ["start_exchange", "start_exchange_2", "wait_for_exchange", "wait_for_exchange_2"]
    assert found[0].lines() == [
        str(kinds),
        "True def run(feeds, lods, scope):",
        str(["mul_grad_in_bucket"] * 4),  # made in the bucket: nothing is copied into it
        str([True, True]),  # what has arrived is applied before the next bucket is waited for
    ]


def test_programs_that_differ_between_ranks_are_told(tmp_path):
    found = run_ranks(
        tmp_path,
        """
import os
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import GradAllReduce
rank = int(os.environ["PADDLE_TRAINER_ID"])
x = fluid.data("x", [None, 3])
loss = fluid.layers.mean(fluid.layers.fc(x, 4 + rank))
fluid.optimizer.SGD(0.1).minimize(loss)
endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")
GradAllReduce(1).transpile(None, None, rank, endpoints, endpoints[rank], False)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
""",
    )
    says = (
        r"the exchanges of the programs differ between ranks: number 0 is c_broadcast of fc_0.w_0 \[3, 4\] on ring 0 "
        r"on rank 0 at 127.0.0.1:\d+ and c_broadcast of fc_0.w_0 \[3, 5\] on ring 0 on rank 1 at 127.0.0.1:\d+"
    )
    assert all(one.code == 1 and re.search(says, one.err) for one in found), found


def test_a_rank_that_leaves_out_the_run_of_a_program_is_told(tmp_path):
    found = run_ranks(
        tmp_path,
        """
import os
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import GradAllReduce
rank = int(os.environ["PADDLE_TRAINER_ID"])
x = fluid.data("x", [None, 3])
y = fluid.layers.fc(x, 4)
loss = fluid.layers.mean(y)
fluid.optimizer.SGD(0.1).minimize(loss)
endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")
GradAllReduce(1).transpile(None, None, rank, endpoints, endpoints[rank], False)
test = fluid.Program()
with fluid.program_guard(test, fluid.Program()):
    correct = fluid.layers.collective._c_allreduce(fluid.data("correct", [16]), ring_id=0)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
for step in range(10):
    exe.run(feed={"x": np.ones((2, 3), "float32")}, fetch_list=[loss])
    if step % 2 == 0 and (rank == 0 or step != 2):
        exe.run(test, {"correct": np.ones(16, "float32")}, [correct])
    print(step, flush=True)
""",
    )
    for rank, one in enumerate(found):
        assert one.code == 1 and f"rank {rank}: rank {1 - rank} at 127.0.0.1:" in one.err, one
        assert "comparison before the exchanges of the programs" in one.err
        assert "gradients from fc_0.b_0@GRAD to fc_0.w_0@GRAD" in one.err
    assert [one.lines()[-1] for one in found] == ["1", "2"]


def test_batch_norms_share_their_statistics_or_keep_their_own(tmp_path):
    program = """
import os
import numpy as np
import paddle.fluid as fluid
rank, count = int(os.environ["PADDLE_TRAINER_ID"]), int(os.environ["PADDLE_TRAINERS_NUM"])

def train(sync, name):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.Scope()):
            fluid.default_startup_program().random_seed = 3
            x = fluid.data("x", [None, 2, 5, 5])
            hidden = fluid.layers.batch_norm(fluid.layers.conv2d(x, 4, 3), act="relu")
            loss = fluid.layers.mean(fluid.layers.square(fluid.layers.batch_norm(fluid.layers.fc(hidden, 3)) - 0.5))
            fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
            config = fluid.DistributeTranspilerConfig()
            config.mode = "nccl2"
            fluid.DistributeTranspiler(config=config).transpile(
                trainer_id=rank, trainers=os.environ["PADDLE_TRAINER_ENDPOINTS"],
                current_endpoint=os.environ["PADDLE_CURRENT_ENDPOINT"])
            exe = fluid.Executor()
            exe.run(fluid.default_startup_program())
            strategy = fluid.BuildStrategy()
            strategy.num_trainers, strategy.trainer_id, strategy.sync_batch_norm = count, rank, sync
            places = fluid.cpu_places(2) if count == 1 and not sync else None  # places have their own as well
            main = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
                loss.name, strategy, places=places)
            for step in range(4):
                whole = np.random.RandomState(step).rand(8, 2, 5, 5).astype("float32")
                feed = {"x": whole[rank::count]} if places is None else [{"x": whole[i::2]} for i in range(2)]
                exe.run(main, feed, [loss])
            values = [v for v in fluid.default_main_program().list_vars() if v.persistable]
            np.savez(f"{name}.{count}.{rank}.npz",
                     **{v.name: np.array(fluid.global_scope().find_var(v.name).get_tensor()) for v in values})

train(True, "shared")
train(False, "own")
"""
    run(tmp_path, program, 2)
    run(tmp_path, program, 1)
    one = np.load(tmp_path / "shared.1.0.npz")
    first, second = (np.load(tmp_path / f"shared.2.{rank}.npz") for rank in range(2))
    for key in one.files:
        assert np.array_equal(first[key], second[key]), key
        np.testing.assert_allclose(first[key], one[key], atol=1e-6, err_msg=key)
    first, second = (np.load(tmp_path / f"own.2.{rank}.npz") for rank in range(2))
    one = np.load(tmp_path / "own.1.0.npz")
    for key in one.files:
        np.testing.assert_allclose(first[key], one[key], atol=1e-6, err_msg=key)
    assert np.array_equal(first["conv2d_0.w_0"], second["conv2d_0.w_0"])
    assert not np.array_equal(first["batch_norm_0.w_1"], second["batch_norm_0.w_1"])  # the moving mean
