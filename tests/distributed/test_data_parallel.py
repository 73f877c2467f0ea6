"""DataParallel and its company with one process, and what they say to more."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet


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


def test_more_processes_are_refused(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with fluid.dygraph.guard():
        with pytest.raises(EnforceNotMet, match="prepare_context: 2 processes .* not there yet"):
            fluid.dygraph.prepare_context()
        strategy = fluid.dygraph.parallel.ParallelStrategy()
        strategy.nranks = 4
        with pytest.raises(EnforceNotMet, match="DataParallel: 4 processes"):
            fluid.dygraph.DataParallel(fluid.dygraph.Linear(3, 2), strategy)
        with pytest.raises(EnforceNotMet, match="layers must be a Layer, got int"):
            fluid.dygraph.DataParallel(3)
