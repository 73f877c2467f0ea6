"""Guards in several threads do not disturb one another."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import BatchNorm, Dropout, Layer, Linear, guard, to_variable


class Net(Layer):
    def __init__(self, width):
        super().__init__()
        self.hidden = Linear(6, width, act="relu")
        self.norm = BatchNorm(width)
        self.drop = Dropout(0.3)
        self.out = Linear(width, 2)

    def forward(self, x):
        return self.out(self.drop(self.norm(self.hidden(x))))


def in_threads(*jobs):
    """What the jobs give, each in a thread of its own."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result(60) for future in [pool.submit(job) for job in jobs]]


def train(width, wait=lambda: None):
    """Everything that training leaves behind, by name."""
    with guard():
        fluid.default_main_program().random_seed = width
        net = Net(width)
        adam = fluid.optimizer.AdamOptimizer(0.01, parameter_list=net.parameters())
        losses = []
        for step in range(8):
            wait()
            x = to_variable(np.random.RandomState(step).rand(5, 6).astype("float32"))
            loss = layers.mean(layers.square(net(x)))
            wait()
            loss.backward()
            with fluid.dygraph.no_grad():
                losses.append((loss.name, float(layers.mean(net(x)))))
            wait()
            adam.minimize(loss)
            net.clear_gradients()
        state = {**net.state_dict(), **adam.state_dict()}
        return losses, {name: var.numpy() for name, var in state.items()}, [p.name for p in net.parameters()]


def test_two_models_trained_in_two_threads_are_those_trained_one_after_the_other():
    expected = [train(4), train(7)]
    both = threading.Barrier(2, timeout=30)
    found = in_threads(lambda: train(4, both.wait), lambda: train(7, both.wait))
    for (losses, state, names), (expected_losses, expected_state, expected_names) in zip(found, expected, strict=True):
        assert losses == expected_losses
        assert names == expected_names
        assert state.keys() == expected_state.keys()
        for name, value in state.items():
            np.testing.assert_array_equal(value, expected_state[name], err_msg=name)


def test_a_guard_in_a_thread_leaves_the_other_threads_in_the_static_mode():
    entered, left = threading.Event(), threading.Event()

    def work():
        with guard():
            entered.set()
            assert left.wait(30)
            return fluid.in_dygraph_mode()

    with ThreadPoolExecutor(1) as pool:
        inside = pool.submit(work)
        assert entered.wait(30)
        assert not fluid.in_dygraph_mode()
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            assert layers.fc(fluid.data("x", [None, 2]), 3).name == "fc_0.tmp_1"
        left.set()
        assert inside.result(30)


def test_a_thread_that_is_started_inside_a_guard_works_in_it():
    with guard():
        assert in_threads(lambda: (fluid.in_dygraph_mode(), to_variable(np.ones(2, "float32")).shape)) == [(True, [2])]
    assert in_threads(fluid.in_dygraph_mode) == [False]


def test_a_thread_that_stops_gradients_stops_its_own():
    entered, left = threading.Event(), threading.Event()

    def work():
        with fluid.dygraph.no_grad():
            entered.set()
            assert left.wait(30)
            return (x * 2).stop_gradient

    with guard(), ThreadPoolExecutor(1) as pool:
        x = to_variable(np.ones(2, "float32"))
        x.stop_gradient = False
        inside = pool.submit(work)
        assert entered.wait(30)
        y = x * 3
        left.set()
        assert inside.result(30) and not y.stop_gradient
        assert in_threads(lambda: (x * 2).stop_gradient) == [False]


def test_programs_names_and_scopes_of_threads_are_their_own():
    both = threading.Barrier(2, timeout=30)

    def build(size):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
            both.wait()
            x = fluid.data("x", [None, size])
            both.wait()
            out = layers.fc(x, size, param_attr=fluid.initializer.Constant(1.0))
            both.wait()
            exe = fluid.Executor()
            exe.run(startup)
            both.wait()
            (found,) = exe.run(main, {"x": np.ones([1, size], "float32")}, [out])
            return [op.type for op in main.global_block().ops], out.name, found.tolist()

    ops = ["mul", "elementwise_add"]
    assert in_threads(lambda: build(2), lambda: build(3)) == [
        (ops, "fc_0.tmp_1", [[2.0] * 2]), (ops, "fc_0.tmp_1", [[3.0] * 3]),
    ]  # fmt: skip
    assert fluid.global_scope().find_var("fc_0.w_0") is None


def test_a_loader_reads_ahead_in_the_guard_of_the_thread_that_made_it():
    def read():
        for number in range(3):
            yield [to_variable(np.full([2], number, "float32")).numpy()]

    def work():
        with guard():
            loader = fluid.io.DataLoader.from_generator(capacity=2, use_multiprocess=False)
            loader.set_batch_generator(read, fluid.CPUPlace())
            return [batch[0].numpy().tolist() for batch in loader]

    assert in_threads(work, work) == [[[0.0] * 2, [1.0] * 2, [2.0] * 2]] * 2


def test_the_imperative_mode_switched_on_in_a_thread_is_that_of_the_thread():
    def work():
        fluid.enable_dygraph()
        on = fluid.in_dygraph_mode()
        fluid.disable_dygraph()
        return on, fluid.in_dygraph_mode()

    assert in_threads(work, work) == [(True, False), (True, False)]
    assert not fluid.in_dygraph_mode()


def train_with_a_schedule(width, folder, wait):
    """A schedule, a clip, weight decay, and files written and read back."""
    with guard():
        fluid.default_main_program().random_seed = width
        net = Net(width)
        rate = fluid.dygraph.PolynomialDecay(0.05, 6, 0.001) if width % 2 else fluid.dygraph.CosineDecay(0.02, 3, 4)
        adam = fluid.optimizer.AdamOptimizer(
            rate, parameter_list=net.parameters(), regularization=fluid.regularizer.L2Decay(1e-3),
            grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0),
        )  # fmt: skip
        steps = []
        for step in range(8):
            x = to_variable(np.random.RandomState(step).rand(5, 6).astype("float32"))
            wait()
            loss = layers.mean(layers.square(net(x)))
            loss.backward()
            wait()
            adam.minimize(loss)
            net.clear_gradients()
            steps.append((float(loss), adam.current_step_lr()))
        path = str(folder / f"imperative_{width}")
        fluid.save_dygraph(net.state_dict(), path)
        wait()
        fluid.save_dygraph(adam.state_dict(), path)
        parameters, states = fluid.load_dygraph(path)
        return steps, {name: np.asarray(value) for name, value in {**parameters, **states}.items() if name[0] != "S"}


def train_a_program(width, folder, wait):
    """A program with a schedule and a test clone, and its saved state."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = width
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 6])
        hidden = layers.batch_norm(layers.fc(x, width, act="relu"))
        wait()
        loss = layers.mean(layers.square(layers.fc(layers.dropout(hidden, 0.3), 2)))
        test = main.clone(for_test=True)
        rate = layers.exponential_decay(0.02, 3, 0.5)
        wait()
        fluid.optimizer.Adam(rate).minimize(loss)
        exe = fluid.Executor()
        exe.run(startup)
        steps = []
        for step in range(8):
            feed = {"x": np.random.RandomState(step).rand(5, 6).astype("float32")}
            wait()
            trained = exe.run(main, feed, [loss, rate])
            wait()
            steps.append([value.item() for value in trained + exe.run(test, feed, [loss.name])])
        path = str(folder / f"static_{width}")
        fluid.save(main, path)
        return steps, fluid.io.load_program_state(path)


@pytest.mark.parametrize("first", [train_with_a_schedule, train_a_program])
@pytest.mark.parametrize("second", [train_with_a_schedule, train_a_program])
def test_schedules_saving_and_programs_in_threads_are_those_of_one_thread(first, second, tmp_path):
    expected = [first(4, tmp_path, lambda: None), second(7, tmp_path, lambda: None)]
    wait = threading.Barrier(2, timeout=30).wait if first is second else lambda: None
    together = in_threads(lambda: first(4, tmp_path, wait), lambda: second(7, tmp_path, wait))
    for (steps, state), (expected_steps, expected_state) in zip(together, expected, strict=True):
        assert steps == expected_steps
        assert state.keys() == expected_state.keys()
        for name, value in state.items():
            np.testing.assert_array_equal(value, expected_state[name], err_msg=name)
