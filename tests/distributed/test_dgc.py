"""DGCMomentumOptimizer: the largest elements are exchanged, the rest is kept; by two real processes."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from tests.distributed.ranks import run

PROGRAM = """
import os
import numpy as np
import paddle.fluid as fluid
rank, count = int(os.environ["PADDLE_TRAINER_ID"]), int(os.environ["PADDLE_TRAINERS_NUM"])

def train(name, make, steps=4):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.Scope()):
            x = fluid.data("x", [None, 128])
            zero = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.0))
            loss = fluid.layers.mean(fluid.layers.fc(x, 128, param_attr=zero) * fluid.data("y", [None, 128]))
            make().minimize(loss)
            config = fluid.DistributeTranspilerConfig()
            config.mode = "nccl2"
            fluid.DistributeTranspiler(config=config).transpile(
                trainer_id=rank, trainers=os.environ["PADDLE_TRAINER_ENDPOINTS"],
                current_endpoint=os.environ["PADDLE_CURRENT_ENDPOINT"])
            exe = fluid.Executor()
            exe.run(fluid.default_startup_program())
            strategy = fluid.BuildStrategy()
            strategy.num_trainers, strategy.trainer_id = count, rank
            main = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss.name, strategy)
            for step in range(steps):
                rng = np.random.RandomState(10 * step + rank)
                feed = {name: rng.rand(4, 128).astype("float32") for name in "xy"}
                exe.run(main, feed, [loss])
            find = lambda n: np.array(fluid.global_scope().find_var(n).get_tensor())
            np.savez(f"{name}.{rank}.npz", w=find("fc_0.w_0"), b=find("fc_0.b_0"))

train("momentum", lambda: fluid.optimizer.Momentum(100.0, 0.9))
train("later", lambda: fluid.optimizer.DGCMomentumOptimizer(100.0, 0.9, rampup_begin_step=100))
train("now", lambda: fluid.optimizer.DGCMomentumOptimizer(
    100.0, 0.9, rampup_begin_step=1, rampup_step=2, sparsity=[0.75, 0.9]))
"""


def by_hand():
    """The weights after four steps: momentum in the first, then 25 % of the elements sent, then 10 %."""
    w = np.zeros((128, 128))
    u, v = np.zeros((2, 128, 128)), np.zeros((2, 128, 128))
    for step in range(4):
        total = np.zeros((128, 128))
        for rank in range(2):
            rng = np.random.RandomState(10 * step + rank)
            x, y = rng.rand(4, 128).astype("float32"), rng.rand(4, 128).astype("float32")
            gradient = x.T.astype("float64") @ y / y.size / 2
            if step < 1:
                total += gradient
                continue
            u[rank] = 0.9 * u[rank] + gradient
            v[rank] += u[rank]
            k = int(128 * 128 * (1.0 - (0.75 if step < 2 else 0.9)))
            sent = np.argsort(-np.abs(v[rank]).reshape(-1))[:k]
            total.reshape(-1)[sent] += v[rank].reshape(-1)[sent]
            v[rank].reshape(-1)[sent] = u[rank].reshape(-1)[sent] = 0
        if step < 1:
            u[:] = total  # the velocity of the summed gradient, which every rank has
        w -= 100.0 * total
    return w


def test_ranks_send_what_is_large_and_keep_the_rest(tmp_path):
    run(tmp_path, PROGRAM)
    found = {
        name: [np.load(tmp_path / f"{name}.{rank}.npz") for rank in range(2)] for name in ("momentum", "later", "now")
    }
    for name, (first, second) in found.items():
        assert all(np.array_equal(first[key], second[key]) for key in "wb"), name
    for key in "wb":
        np.testing.assert_allclose(found["later"][0][key], found["momentum"][0][key], atol=1e-6)
    np.testing.assert_allclose(found["now"][0]["b"], found["momentum"][0]["b"], atol=1e-6)  # too small to compress
    wanted = by_hand()
    off = np.abs(found["now"][0]["w"] - wanted) > 1e-4
    assert off.sum() <= 4  # elements at the edge of the largest ones may fall to either side
    assert np.abs(found["now"][0]["w"] - found["momentum"][0]["w"]).max() > 0.01


def test_what_cannot_be_compressed_is_told():
    with pytest.raises(EnforceNotMet, match="rampup_begin_step must be 0 or more, got -1"):
        fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, -1)
    with pytest.raises(TypeError, match="grad_clip must be a GradientClipByNorm, with num_trainers given"):
        fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, 0, grad_clip=fluid.clip.GradientClipByValue(1.0))
    with fluid.dygraph.guard(), pytest.raises(EnforceNotMet, match="the imperative mode is on"):
        fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, 0)


def test_both_generations_are_understood():
    new = fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, 0, 1, [0.9], None, True, 4)
    old = fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, 0, 1, [0.9], True, 2.0, 4)
    assert new._use_nesterov and old._use_nesterov and (new._max_norm, old._max_norm) == (None, 1.0)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'speed'; it takes"):
        fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, 0, speed=1)


def test_a_single_process_compresses_clips_and_regularizes():
    x = fluid.data("x", [None, 128])
    loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(x, 128) - 1.0))
    fluid.optimizer.DGCMomentumOptimizer(
        1.0, 0.9, 0, sparsity=[0.5], num_trainers=1, grad_clip=fluid.clip.GradientClipByNorm(1.0),
        regularization=fluid.regularizer.L2Decay(1e-4),
    ).minimize(loss)  # fmt: skip
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    feed = {"x": np.random.RandomState(0).rand(8, 128).astype("float32")}
    losses = [exe.run(feed=feed, fetch_list=[loss])[0].item() for _ in range(10)]
    assert losses[-1] < losses[0]
    types = [op.type for op in fluid.default_main_program().global_block().ops]
    assert types[0] == "increment" and types[-1] == "dgc_momentum"
    assert types.index("dgc_clip_by_norm") < types.index("dgc") < types.index("momentum")
