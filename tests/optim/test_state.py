"""What an optimizer saves, and that training goes on from it as if it had never stopped."""

import numpy as np
import pytest
from tests.optim.nets import go_on, parameters, train_imperative

from refluid.core import unique_name
from refluid.core.errors import DtypeError, EnforceNotMet, NotFoundError
from refluid.eager.base import guard
from refluid.optim.adam import Adam
from refluid.optim.decay import LinearLrWarmup, PiecewiseDecay
from refluid.optim.epoch_decay import StepDecay
from refluid.optim.momentum import Momentum
from refluid.optim.sgd import SGD


def arrays(state):
    """As they come out of a file."""
    return {key: value.numpy() if hasattr(value, "numpy") else value for key, value in state.items()}


def test_the_keys_are_fluids():
    decay = PiecewiseDecay([2, 4], [0.1, 0.05, 0.01], 0)
    _, _, optimizer = train_imperative(lambda p: Adam(decay, parameter_list=p))
    state = optimizer.state_dict()
    assert [key for key in state if key.startswith("w_0")] == [
        f"w_0_{name}_0" for name in ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
    ]
    assert state["LR_Scheduler"] == {"step_num": 5}
    assert state["global_step"].numpy().tolist() == [5] and state["global_step"].numpy().dtype == np.int32


def test_schedules_of_epochs_save_no_global_step():
    _, _, optimizer = train_imperative(lambda p: Adam(StepDecay(0.1, 2), parameter_list=p))
    state = optimizer.state_dict()
    assert state["LR_Scheduler"] == {"epoch_num": 0, "learning_rate": 0.1} and "global_step" not in state


@pytest.mark.parametrize("early", [True, False], ids=["before the first step", "after a step"])
def test_training_goes_on_from_a_saved_state(early):
    def make(p):
        return Adam(PiecewiseDecay([2, 4], [0.1, 0.05, 0.01], 0), parameter_list=p)

    losses, params, _ = train_imperative(make, steps=6)
    first, kept, optimizer = train_imperative(make, steps=3)
    state, values = arrays(optimizer.state_dict()), {name: param.numpy() for name, param in kept.items()}
    with guard(), unique_name.guard():
        fresh = parameters()
        other = make(list(fresh.values()))
        if not early:
            go_on(other, fresh, steps=1)
        other.set_dict(state)
        for name, value in values.items():
            fresh[name].set_value(value)
        np.testing.assert_array_equal(first + go_on(other, fresh, steps=3), losses)
        for name, param in fresh.items():
            np.testing.assert_array_equal(param.numpy(), params[name].numpy())


def test_a_state_that_does_not_fit_is_refused_and_changes_nothing():
    _, _, optimizer = train_imperative(lambda p: Momentum(0.1, 0.9, p))
    state = arrays(optimizer.state_dict())
    before = optimizer.state_dict()["w_1_velocity_0"].numpy()
    wrong = {**state, "w_1_velocity_0": before * 2, "w_0_velocity_0": np.zeros([2, 2], "float32")}
    del wrong["b_0_velocity_0"]
    with pytest.raises(EnforceNotMet) as caught:
        optimizer.set_dict(wrong)
    text = str(caught.value)
    assert "accumulators do not match; nothing was loaded" in text
    assert "w_0_velocity_0  has the shape [2, 2], expected [4, 5]" in text
    assert "b_0_velocity_0  is missing" in text
    np.testing.assert_array_equal(optimizer.state_dict()["w_1_velocity_0"].numpy(), before)


def test_load_of_1_5_brings_the_schedule_back():
    with guard():
        optimizer = Adam(PiecewiseDecay([2], [0.1, 0.01], 0), name="adam")
        saved = PiecewiseDecay([2], [0.1, 0.01], 7)
        optimizer.load({"adam": saved, "another": PiecewiseDecay([2], [0.1, 0.01], 3)})
        assert optimizer._learning_rate is saved and optimizer.current_step_lr() == 0.01
        with pytest.raises(NotFoundError, match="there is no optimizer 'adam'"):
            optimizer.load({"one": saved, "two": saved})


def test_a_warm_up_saves_the_schedule_behind_it():
    with guard():
        made = [LinearLrWarmup(PiecewiseDecay([3], [1.0, 0.5], 0), 2, 0.0, 0.1) for _ in range(2)]
        for _ in range(5):
            made[0]()
        made[1].set_dict(made[0].state_dict())
        assert made[1].current() == made[0].current() == 0.5
        made[1].set_dict({"step_num": 5})  # as 1.8.5 saves it


def test_an_optimizer_that_keeps_nothing_takes_the_state_that_was_never_saved():
    """load_dygraph gives None for the state of an SGD, which Fluid's SGD takes."""
    _, _, optimizer = train_imperative(lambda p: SGD(0.1, parameter_list=p))
    assert optimizer.state_dict() == {}
    optimizer.set_dict(None)
    _, _, scheduled = train_imperative(lambda p: SGD(PiecewiseDecay([2], [0.1, 0.05], 0), parameter_list=p))
    for one in (scheduled, train_imperative(lambda p: Adam(0.1, parameter_list=p))[2]):
        with pytest.raises(DtypeError, match="set_dict: expected a dict"):
            one.set_dict(None)
