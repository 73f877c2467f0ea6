"""DataParallel and its company with one process, and with several."""

import re

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from tests.distributed.ranks import run, run_ranks


def step(model, scale=lambda loss: loss, gather=lambda: None):
    out = model(fluid.dygraph.to_variable(np.ones((2, 3), "float32")))
    loss = scale(fluid.layers.mean(out))
    loss.backward()
    gather()
    return loss.numpy()


def test_the_environment_of_a_single_process(monkeypatch):
    for name in ("PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID", "FLAGS_selected_gpus", "PADDLE_TRAINER_ENDPOINTS"):
        monkeypatch.delenv(name, raising=False)
    env = fluid.dygraph.parallel.Env()
    assert (env.nranks, env.local_rank, env.dev_id) == (1, 0, 0)
    assert (env.current_endpoint, env.trainer_endpoints) == ("", [""])


def test_the_environment_says_who_this_process_is(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    monkeypatch.setenv("FLAGS_selected_gpus", "3")
    monkeypatch.setenv("PADDLE_TRAINER_ENDPOINTS", "127.0.0.1:6170,127.0.0.1:6171")
    monkeypatch.setenv("PADDLE_CURRENT_ENDPOINT", "127.0.0.1:6171")
    env = fluid.dygraph.ParallelEnv()
    assert (env.nranks, env.local_rank, env.dev_id) == (2, 1, 3)
    assert env.current_endpoint == env.trainer_endpoints[1] == "127.0.0.1:6171"


def test_one_process_trains_as_without_it():
    with fluid.dygraph.guard():
        model = fluid.dygraph.Linear(3, 2)
        loss = step(model)
        grad = model.weight.gradient()
        model.clear_gradients()
        wrapped = fluid.dygraph.DataParallel(model, fluid.dygraph.prepare_context())
        assert step(wrapped, wrapped.scale_loss, wrapped.apply_collective_grads) == loss
        assert np.array_equal(model.weight.gradient(), grad)
        assert [p.name for p in wrapped.parameters()] == [p.name for p in model.parameters()]
        wrapped.clear_gradients()
        assert not model.weight.gradient().any()


def test_state_dictionaries_do_not_show_the_wrapping():
    with fluid.dygraph.guard():
        model, other = fluid.dygraph.Linear(3, 2), fluid.dygraph.Linear(3, 2)
        wrapped = fluid.dygraph.DataParallel(model, fluid.dygraph.prepare_context())
        assert wrapped.full_name() == "linear_0_data_parallel_0"
        assert list(wrapped.state_dict()) == ["weight", "bias"]
        wrapped.set_dict(other.state_dict())
        assert np.array_equal(model.weight.numpy(), other.weight.numpy())
        wrapped.eval()
        assert not model.training


def test_more_processes_than_endpoints_are_told(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with fluid.dygraph.guard():
        with pytest.raises(EnforceNotMet, match="prepare_context: 2 processes .* there are 0 endpoints"):
            fluid.dygraph.prepare_context()
        strategy = fluid.dygraph.parallel.ParallelStrategy()
        strategy.nranks = 4
        strategy.trainer_endpoints = ["127.0.0.1:6170"]
        with pytest.raises(EnforceNotMet, match="DataParallel: 4 processes .* 1 endpoints .*: 127.0.0.1:6170"):
            fluid.dygraph.DataParallel(fluid.dygraph.Linear(3, 2), strategy)
        with pytest.raises(EnforceNotMet, match="layers must be a Layer, got int"):
            fluid.dygraph.DataParallel(3)


# -- several processes ----------------------------------------------------------------------------------------------

TRAIN = """
import os, sys
import numpy as np
import paddle.fluid as fluid

rank, count = int(os.environ.get("PADDLE_TRAINER_ID", "0")), int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))

class Model(fluid.dygraph.Layer):
    def __init__(self):
        super(Model, self).__init__()
        self.words = fluid.dygraph.Embedding([20, 6], is_sparse=True)
        self.conv = fluid.dygraph.Conv2D(1, 4, 3, act="relu")
        self.hidden = fluid.dygraph.Linear(4 * 4 * 4 + 6, 16, act="tanh")
        self.same = fluid.dygraph.Linear(16, 16)
        self.same_again = fluid.dygraph.Linear(16, 16)
        self.same_again.weight = self.same.weight
        self.unused = fluid.dygraph.Linear(3, 3)
        self.sometimes = fluid.dygraph.Linear(16, 16)
        self.last = fluid.dygraph.Linear(16, 5)

    def forward(self, words, image, extra):
        seen = fluid.layers.reshape(self.conv(image), [image.shape[0], -1])
        mixed = fluid.layers.concat([seen, fluid.layers.reduce_mean(self.words(words), 1)], 1)
        found = self.same_again(fluid.layers.relu(self.same(self.hidden(mixed))))
        if extra:
            found = found + self.sometimes(found)
        return fluid.layers.softmax(self.last(found))

def batch(step, rank, count):
    rng = np.random.RandomState(step)
    whole = (rng.randint(0, 20, (8, 3)), rng.rand(8, 1, 6, 6).astype("float32"), rng.randint(0, 5, (8, 1)))
    return [fluid.dygraph.to_variable(part[rank::count]) for part in whole]

def train(make_optimizer, steps=6):
    fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 7 + rank
    np.random.seed(rank)
    model = Model()
    if rank == 0:
        for i, param in enumerate(model.parameters()):
            param.set_value(np.random.RandomState(i).uniform(-0.3, 0.3, param.shape).astype("float32"))
    strategy = fluid.dygraph.prepare_context()
    parallel = fluid.dygraph.DataParallel(model, strategy)
    optimizer = make_optimizer(model.parameters())
    losses = []
    for step in range(steps):
        words, image, label = batch(step, rank, count)
        out = parallel(words, image, extra=step in (2, 3) )
        loss = parallel.scale_loss(fluid.layers.mean(fluid.layers.cross_entropy(out, label)))
        loss.backward()
        parallel.apply_collective_grads()
        optimizer.minimize(loss)
        parallel.clear_gradients()
        losses.append(loss.numpy().item())
    return losses, {name: value.numpy() for name, value in model.state_dict().items()}
"""

OPTIMIZERS = {
    "sgd": "fluid.optimizer.SGD(0.1, parameter_list=p)",
    "momentum": "fluid.optimizer.Momentum(0.1, 0.9, parameter_list=p)",
    "adam": "fluid.optimizer.Adam(0.01, parameter_list=p)",
    "clip": "fluid.optimizer.SGD(0.1, parameter_list=p, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.05))",
}


@pytest.mark.parametrize("count", [2, 4])
def test_several_processes_train_as_one_on_the_joined_batch(tmp_path, count):
    script = TRAIN + "".join(
        f"""
with fluid.dygraph.guard():
    losses, state = train(lambda p: {text})
    np.savez(f"{name}.{{count}}.{{rank}}.npz", losses=losses, **state)
"""
        for name, text in OPTIMIZERS.items()
    )
    run(tmp_path, script, count)
    run(tmp_path, script, 1)
    for name in OPTIMIZERS:
        one = np.load(tmp_path / f"{name}.1.0.npz")
        all_of_them = [np.load(tmp_path / f"{name}.{count}.{rank}.npz") for rank in range(count)]
        np.testing.assert_allclose(sum(found["losses"] for found in all_of_them), one["losses"], atol=1e-6)
        for key in one.files[1:]:
            for found in all_of_them:
                assert np.array_equal(found[key], all_of_them[0][key]), f"{name}: {key} differs between ranks"
            np.testing.assert_allclose(all_of_them[0][key], one[key], atol=1e-6, err_msg=f"{name}: {key}")


def test_two_runs_are_equal_bit_by_bit(tmp_path):
    script = (
        TRAIN
        + """
with fluid.dygraph.guard():
    losses, state = train(lambda p: fluid.optimizer.Adam(0.01, parameter_list=p))
print(losses, float(sum(np.abs(v).sum() for v in state.values())))
"""
    )
    assert [one.out for one in run(tmp_path, script)] == [one.out for one in run(tmp_path, script)]


def test_layers_that_learn_their_sizes_late_begin_alike(tmp_path):
    found = run(
        tmp_path,
        """
import os
import numpy as np
import paddle.fluid as fluid

class Model(fluid.dygraph.Layer):
    def __init__(self, name):
        super(Model, self).__init__(name)
        self.first = fluid.dygraph.FC(self.full_name(), 4)
        self.norm = fluid.dygraph.BatchNorm(self.full_name(), 4)

    def forward(self, x):
        return self.norm(self.first(x))

with fluid.dygraph.guard():
    fluid.default_startup_program().random_seed = 1 + fluid.dygraph.parallel.Env().local_rank
    model = fluid.dygraph.parallel.DataParallel(Model("model"), fluid.dygraph.parallel.prepare_context())
    out = model(fluid.dygraph.to_variable(np.ones((2, 3), "float32")))
    print(sorted(model.state_dict()), [float(p.numpy().sum()) for p in model.parameters()], out.numpy().tolist())
""",
    )
    assert found[0].out == found[1].out
    assert "first" in found[0].out and "data_parallel" not in found[0].out


def test_models_that_differ_between_ranks_are_told(tmp_path):
    found = run_ranks(
        tmp_path,
        """
import numpy as np
import paddle.fluid as fluid
with fluid.dygraph.guard():
    rank = fluid.dygraph.ParallelEnv().local_rank
    model = fluid.dygraph.DataParallel(fluid.dygraph.Linear(3, 2 + rank), fluid.dygraph.prepare_context())
    model(fluid.dygraph.to_variable(np.ones((2, 3), "float32")))
""",
    )
    says = (
        r"the parameters of DataParallel differ between ranks: number 0 is weight float32 \[3, 2\] on rank 0 at "
        r"127.0.0.1:\d+ and weight float32 \[3, 3\] on rank 1 at 127.0.0.1:\d+ \(they have 2 and 2\)"
    )
    assert all(one.code == 1 and re.search(says, one.err) for one in found)


@pytest.mark.parametrize(
    ("left_out", "says"),
    [
        ("applies", ["gradients of step 2, bucket 0", "gradients of step 3, bucket 0"]),
        ("updates", ["gradients of step 3 without an update after the last one", "gradients of step 3, bucket 0"]),
        ("sums", ["comparison before all_reduce of float32 2x3", "gradients of step 3, bucket 0"]),
    ],
)
def test_a_rank_that_leaves_out_a_part_of_a_step_is_told(tmp_path, left_out, says):
    found = run_ranks(
        tmp_path,
        f"""
import numpy as np
import paddle.fluid as fluid
from refluid.distributed import ring as rings
with fluid.dygraph.guard():
    rank = fluid.dygraph.ParallelEnv().local_rank
    layer = fluid.dygraph.Linear(3, 2)
    adam = fluid.optimizer.Adam(0.01, parameter_list=layer.parameters())
    model = fluid.dygraph.DataParallel(layer, fluid.dygraph.prepare_context())
    x = fluid.dygraph.to_variable(np.ones((2, 3), "float32"))
    for step in range(100):
        skips = rank == 1 and step == 2
        loss = model.scale_loss(fluid.layers.mean(model(x)))
        loss.backward()
        if skips and "{left_out}" == "applies":
            continue
        model.apply_collective_grads()
        if not (skips and "{left_out}" == "updates"):
            adam.minimize(loss)
        model.clear_gradients()
        if not rank and step == 2 and "{left_out}" == "sums":
            rings.get(0).all_reduce(x._t).wait()
        print(step, flush=True)
""",
    )
    for rank, one in enumerate(found):
        assert one.code == 1 and f"rank {rank}: rank {1 - rank} at 127.0.0.1:" in one.err, one
        assert "does something else at the same step" in one.err and all(text in one.err for text in says)
        assert one.lines()[-1] in "12"  # before the gradients of the next step are used


def test_a_backward_pass_of_one_rank_alone_disturbs_nobody(tmp_path):
    found = run(
        tmp_path,
        """
import numpy as np
import paddle.fluid as fluid
with fluid.dygraph.guard():
    rank = fluid.dygraph.ParallelEnv().local_rank
    layer = fluid.dygraph.Linear(3, 1)
    model = fluid.dygraph.DataParallel(layer, fluid.dygraph.prepare_context())
    x = fluid.dygraph.to_variable(np.full((2, 3), 1.0 + rank, "float32"))
    for step in range(3):
        if rank == 0:  # looks at gradients of its own
            fluid.layers.mean(model(x) * model(x)).backward()
        loss = fluid.layers.mean(model(x))
        if step == 1:
            loss = loss / 2.0  # scaled by hand: summed after the backward pass
        else:
            loss = model.scale_loss(loss)
        loss.backward()
        if step == 2:
            model.scale_loss(fluid.layers.mean(model(x))).backward()  # the one before is never applied
        model.apply_collective_grads()
        print(layer.weight.gradient().reshape(-1).tolist(), layer.bias.gradient().tolist())
""",
    )
    assert [one.lines() for one in found] == [["[1.5, 1.5, 1.5] [1.0]"] * 3] * 2


def test_gradients_are_made_in_the_memory_that_is_exchanged(tmp_path):
    found = run(
        tmp_path,
        """
import numpy as np
import paddle.fluid as fluid
with fluid.dygraph.guard():
    shared = fluid.dygraph.Linear(4, 4)
    model = fluid.dygraph.DataParallel(shared, fluid.dygraph.prepare_context())
    x = fluid.dygraph.to_variable(np.ones((2, 4), "float32"))
    homes, sums = [], []
    for _ in range(3):
        loss = model.scale_loss(fluid.layers.mean(model(model(x)) - model(x)))
        loss.backward()
        made = shared.weight._grad.data_ptr()
        model.apply_collective_grads()
        homes.append(made == shared.weight._grad.data_ptr())
        sums.append(shared.weight.gradient())
    print(homes, all(np.array_equal(sums[0], one) for one in sums))
""",
    )
    # the first step finds out which gradients are sparse; from the second on there is memory
    assert all(one.lines() == ["[False, True, True] True"] for one in found)
