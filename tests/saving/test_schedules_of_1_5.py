"""Optimizers that 1.5 saved: it pickled learning-rate schedules whole. Their attributes are read, nothing is run."""

import pickle

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.saving.pickle_values import SCHEDULES
from refluid.saving.state_file import read_state

SCHEDULES_OF_1_5 = [
    lambda: fluid.dygraph.NoamDecay(100, 10, begin=4),
    lambda: fluid.dygraph.PiecewiseDecay([3, 6], [0.1, 0.2, 0.3], 2),
    lambda: fluid.dygraph.NaturalExpDecay(0.1, 10, 0.5, begin=3),
    lambda: fluid.dygraph.ExponentialDecay(0.1, 10, 0.5, staircase=True, begin=9),
    lambda: fluid.dygraph.InverseTimeDecay(0.1, 10, 0.5, begin=3),
    lambda: fluid.dygraph.PolynomialDecay(0.1, 10, power=2.0, begin=3, step=2),
    lambda: fluid.dygraph.CosineDecay(0.1, 2, 20, begin=3),
]


def saved(folder, schedule, module=b"paddle.fluid.dygraph.learning_rate_scheduler", name="sgd"):
    """The folder of `save_persistables`, with the schedule as 1.5 pickled it."""
    data = pickle.dumps(schedule, 2)
    ours = type(schedule).__module__.encode()
    assert b"c" + ours + b"\n" in data
    (folder / "optimizers").mkdir()
    (folder / "optimizers" / name).write_bytes(data.replace(b"c" + ours + b"\n", b"c" + module + b"\n"))
    return folder


@pytest.mark.parametrize("make", SCHEDULES_OF_1_5)
def test_a_schedule_goes_on_where_it_was(make, tmp_path):
    with fluid.dygraph.guard():
        schedule = make()
        schedule()
        _, optimizers = fluid.dygraph.load_persistables(str(saved(tmp_path, schedule)))
        (found,) = optimizers.values()
        assert type(found) is type(schedule)
        assert [found().numpy().item() for _ in range(5)] == [schedule().numpy().item() for _ in range(5)]


def test_an_optimizer_takes_it_over(tmp_path):
    with fluid.dygraph.guard():
        schedule = fluid.dygraph.PolynomialDecay(0.5, 10, begin=7)
        layer = fluid.dygraph.Linear(3, 2)
        optimizer = fluid.optimizer.SGD(0.1, parameter_list=layer.parameters())
        _, optimizers = fluid.dygraph.load_persistables(str(saved(tmp_path, schedule)))
        optimizer.load(optimizers)
        loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(np.ones((1, 3), "float32"))))
        loss.backward()
        optimizer.minimize(loss)
        assert optimizer.current_step_lr() == pytest.approx(schedule().numpy().item())


@pytest.mark.parametrize("module", [b"os", b"paddle.fluid.dygraph.nn", b"refluid.optim.decay"])
def test_other_classes_are_refused(module, tmp_path):
    with fluid.dygraph.guard(), pytest.raises(EnforceNotMet, match="it wants to use .* 'CosineDecay'"):
        fluid.dygraph.load_persistables(str(saved(tmp_path, fluid.dygraph.CosineDecay(0.1, 2, 20), module)))


@pytest.mark.parametrize(
    "text, says",
    [
        # arguments for the class: pickles of 1.5 have none
        (b"\x80\x02c%s\nCosineDecay\n(K\x01t\x81.", "neither an array nor a learning-rate schedule"),
        # calling the class
        (b"\x80\x02c%s\nCosineDecay\n)R.", "calls what is no function"),
        (b"\x80\x02c%s\nCosineDecay\n)\x81K\x01b.", "has no attributes"),
        (b"\x80\x02c%s\nCosineDecay\n)\x81.", "no data"),
        (b"\x80\x02c%s\nCosineDecay\n.", "a name is in place of a value"),
        (b"\x80\x02c%s\nCosineDecay\n)\x81}b}b.", "sets the state of something"),
    ],
)
def test_pickles_that_do_more_are_refused(text, says, tmp_path):
    path = tmp_path / "optimizer"
    path.write_bytes(text % b"paddle.fluid.dygraph.learning_rate_scheduler")
    with pytest.raises(EnforceNotMet, match=says):
        read_state(str(path))


def test_a_schedule_without_its_numbers_is_refused(tmp_path):
    (tmp_path / "optimizers").mkdir()
    data = b"\x80\x02c%s\nCosineDecay\n)\x81}b." % b"paddle.fluid.dygraph.learning_rate_scheduler"
    (tmp_path / "optimizers" / "sgd").write_bytes(data)
    with pytest.raises(EnforceNotMet, match="the schedule CosineDecay has no learning_rate, step_each_epoch, epochs"):
        fluid.dygraph.load_persistables(str(tmp_path))


def test_the_names_are_those_of_schedules():
    assert all(hasattr(fluid.dygraph, known.name) for known in SCHEDULES.values())
