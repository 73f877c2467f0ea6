"""Names that Fluid does not document and public programs import all the same."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.backward import calc_gradient
from paddle.fluid.clip import append_gradient_clip_ops
from paddle.fluid.dataloader import BatchSampler, Dataset
from paddle.fluid.dygraph.learning_rate_scheduler import LearningRateDecay
from paddle.fluid.executor import _fetch_var
from paddle.fluid.framework import _current_expected_place, _get_var, core
from paddle.fluid.regularizer import append_regularization_ops
from paddle.fluid.wrapped_decorator import signature_safe_contextmanager, wrap_decorator


@pytest.fixture
def program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        yield main


def test_values_are_read_from_the_scope_by_name(program):
    w = fluid.layers.create_parameter([2], "float32", default_initializer=fluid.initializer.Constant(3.0))
    with pytest.raises(ValueError, match=f"_fetch_var: the scope has no value of '{w.name}'; only persistable"):
        _fetch_var(w.name)
    fluid.Executor().run(fluid.default_startup_program())
    assert _fetch_var(w.name).tolist() == [3.0, 3.0]
    assert isinstance(_fetch_var(w.name, fluid.global_scope(), return_numpy=False), fluid.LoDTensor)
    assert _get_var(w.name) is w and _get_var(w.name, program) is w


def test_calc_gradient_of_one_input_gives_no_list(program):
    x = fluid.data("x", [2])
    y = fluid.layers.square(x)
    one = calc_gradient(y, x)
    two = calc_gradient(fluid.layers.mean(y), [x, y])
    found = fluid.Executor().run(feed={"x": np.array([1, 2], "float32")}, fetch_list=[one, *two])
    assert [value.tolist() for value in found] == [[2.0, 4.0], [1.0, 2.0], [0.5, 0.5]]


def test_gradients_are_clipped_and_regularized_by_hand(program):
    clip = fluid.clip.GradientClipByValue(0.1)
    w = fluid.layers.create_parameter(
        [2], "float32", attr=fluid.ParamAttr(gradient_clip=clip, initializer=fluid.initializer.Constant(1.0))
    )
    pairs = fluid.backward.append_backward(fluid.layers.reduce_sum(w * 3.0))
    pairs = append_gradient_clip_ops(pairs)
    pairs = append_regularization_ops(pairs, fluid.regularizer.L2Decay(0.5))
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    np.testing.assert_allclose(exe.run(program, fetch_list=[pairs[0][1]])[0], [0.6, 0.6], rtol=1e-6)


def test_a_schedule_of_ones_own_is_followed():
    class Halving(LearningRateDecay):
        def __init__(self, rate):
            super().__init__()
            self.rate = rate

        def step(self):
            return self.create_lr_var(self.rate * 0.5**self.step_num)

    with fluid.dygraph.guard():
        w = fluid.layers.create_parameter([1], "float32", default_initializer=fluid.initializer.Constant(0.0))
        sgd = fluid.optimizer.SGD(Halving(1.0), parameter_list=[w])
        found = []
        for _ in range(3):
            fluid.layers.reduce_sum(w).backward()
            sgd.minimize(w)
            found.append(w.numpy().item())
        assert found == [-1.0, -1.5, -1.75]


def test_the_place_is_known_inside_a_guard():
    assert _current_expected_place() is None
    with fluid.dygraph.guard(fluid.CPUPlace()):
        assert isinstance(_current_expected_place(), core.CPUPlace)


def test_decorators_keep_names():
    @signature_safe_contextmanager
    def opened():
        """Opens."""
        yield 1

    @wrap_decorator
    def doubled(function):
        return lambda x: 2 * function(x)

    @doubled
    def next_number(x):
        """One more."""
        return x + 1

    with opened() as one:
        assert (one, opened.__doc__) == (1, "Opens.")
    assert (next_number(2), next_number.__name__, next_number.__doc__) == (6, "next_number", "One more.")


def test_batches_are_drawn_from_a_data_set():
    class Numbers(Dataset):
        def __getitem__(self, i):
            return i

        def __len__(self):
            return 5

    assert list(BatchSampler(Numbers(), batch_size=2)) == [[0, 1], [2, 3], [4]]
