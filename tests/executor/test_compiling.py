"""FLAGS_refluid_compile and BuildStrategy.enable_auto_fusion: the same results, by C++ where calls are small."""

import os
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core import flags, random
from refluid.executor.compiling.plan import MOST_SHAPES, CompilingPlan
from refluid.native import build

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="no C++ compiler")


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    flags.set_flags({"FLAGS_refluid_compile": True})
    yield tmp_path
    flags.set_flags({"FLAGS_refluid_compile": False})


def plans(program=None):
    """What was compiled of a program: per plan, the plans by shapes."""
    program = program or fluid.default_main_program()
    return [plan._compiled for plan in program.plans.values() if isinstance(plan, CompilingPlan)]


def train(network, optimizer, steps=8, batches=(6,), program=lambda main: main):
    """The losses and parameters of a training."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        random.manual_seed(3)
        x = fluid.data("x", [None, 5])
        y = fluid.data("y", [None, 1])
        loss = fluid.layers.mean(network(x, y))
        optimizer().minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        numbers = np.random.RandomState(0)
        losses = []
        runs = program(main)
        for i in range(steps):
            size = batches[i % len(batches)]
            feed = {"x": numbers.rand(size, 5).astype("float32"), "y": numbers.rand(size, 1).astype("float32")}
            losses.append(exe.run(runs, feed=feed, fetch_list=[loss])[0])
        params = [np.array(fluid.global_scope().find_var(p.name).get_tensor()) for p in main.all_parameters()]
    return losses, params, plans(main)


def linear(x, y):
    return fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y)


def deep(x, y):
    hidden = x
    for act in ("relu", "tanh", "sigmoid"):
        hidden = fluid.layers.fc(hidden, 7, act=act)
    hidden = fluid.layers.elementwise_mul(hidden, fluid.layers.exp(fluid.layers.scale(hidden, -0.5)))
    hidden = fluid.layers.elementwise_max(hidden, fluid.layers.sqrt(fluid.layers.abs(hidden) + 0.1))
    return fluid.layers.abs(fluid.layers.reduce_sum(hidden, dim=1, keep_dim=True) - y)


def classified(x, y):
    label = fluid.layers.cast(fluid.layers.scale(y, 3.0), "int64")
    return fluid.layers.softmax_with_cross_entropy(fluid.layers.fc(fluid.layers.fc(x, 8, act="relu"), 4), label)


def sgd():
    return fluid.optimizer.SGD(fluid.layers.exponential_decay(0.1, 2, 0.7))


def momentum():
    return fluid.optimizer.Momentum(0.05, 0.9, use_nesterov=True, regularization=fluid.regularizer.L2Decay(0.01))


def adam():
    return fluid.optimizer.Adam(0.05)


@needs_compiler
@pytest.mark.parametrize("network", [linear, deep, classified])
@pytest.mark.parametrize("optimizer", [sgd, momentum, adam])
def test_training_gives_the_same(network, optimizer, compiled):
    flags.set_flags({"FLAGS_refluid_compile": False})
    want_losses, want, _ = train(network, optimizer)
    flags.set_flags({"FLAGS_refluid_compile": True})
    losses, got, made = train(network, optimizer)
    assert any(plan is not None for by_shape in made for plan in by_shape.values())
    np.testing.assert_allclose(losses, want_losses, rtol=3e-6, atol=1e-6)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-6, atol=1e-6)


@needs_compiler
def test_the_build_strategy_chooses_it(compiled):
    flags.set_flags({"FLAGS_refluid_compile": False})

    def with_strategy(main):
        strategy = fluid.BuildStrategy()
        strategy.enable_auto_fusion = True
        return fluid.CompiledProgram(main, build_strategy=strategy)

    want, _, none = train(linear, sgd)
    losses, _, made = train(linear, sgd, program=with_strategy)
    assert none == [] and "compiled(" in next(iter(made[0].values())).text
    np.testing.assert_allclose(losses, want, rtol=1e-6)


@needs_compiler
def test_every_shape_has_code_of_its_own_up_to_a_number(compiled):
    batches = tuple(range(2, MOST_SHAPES + 5))
    flags.set_flags({"FLAGS_refluid_compile": False})
    want, _, _ = train(deep, adam, 24, batches)
    flags.set_flags({"FLAGS_refluid_compile": True})
    losses, _, made = train(deep, adam, 24, batches)
    assert max(len(by_shape) for by_shape in made) == MOST_SHAPES
    np.testing.assert_allclose(losses, want, rtol=3e-6, atol=1e-6)


@needs_compiler
def test_a_parameter_or_rate_that_is_replaced_is_read_anew(compiled):
    x = fluid.data("x", [None, 3])
    w = fluid.layers.create_parameter([3, 2], "float32", name="w")
    out = fluid.layers.relu(fluid.layers.mul(x, w)) * 2.0
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    feed = {"x": np.ones((4, 3), "float32")}
    held = fluid.global_scope().find_var("w").get_tensor()
    for columns, fill in ((2, 1.0), (2, 2.0), (2, -1.0), (5, 3.0), (2, 4.0)):
        held.set(np.full((3, columns), fill, "float32"), fluid.CPUPlace())
        (got,) = exe.run(feed=feed, fetch_list=[out])
        np.testing.assert_array_equal(got, np.full((4, columns), max(3 * fill, 0) * 2, "float32"))


@needs_compiler
def test_feeds_with_other_strides_take_the_kernels(compiled):
    x = fluid.data("x", [None, 3])
    out = fluid.layers.exp(fluid.layers.scale(x, 2.0)) + 1.0
    exe = fluid.Executor()
    array = np.arange(12, dtype="float32").reshape(4, 3) / 10
    want = np.exp(array * 2) + 1
    for fed in (array, array, np.asfortranarray(array), array[::-1][::-1]):
        np.testing.assert_allclose(exe.run(feed={"x": fed}, fetch_list=[out])[0], want, rtol=1e-6)
    assert any(plan is not None for by_shape in plans() for plan in by_shape.values())


@needs_compiler
def test_fetches_are_memory_of_their_own(compiled):
    x = fluid.data("x", [None, 3])
    a = fluid.layers.scale(x, 2.0)
    b = fluid.layers.reshape(a, [-1])
    c = fluid.layers.relu(b)
    exe = fluid.Executor()
    kept = [exe.run(feed={"x": np.full((2, 3), i, "float32")}, fetch_list=[a, b, c]) for i in range(4)]
    for i, (first, second, third) in enumerate(kept):
        assert first.shape == (2, 3) and second.shape == third.shape == (6,)
        assert all((one == 2 * i).all() for one in (first, second, third))


@needs_compiler
def test_what_data_decide_is_not_compiled(compiled):
    x = fluid.data("x", [None])
    picked = (
        fluid.layers.masked_select(x, x > 0) if hasattr(fluid.layers, "masked_select") else fluid.layers.where(x > 0)
    )
    total = fluid.layers.reduce_sum(fluid.layers.cast(picked, "float32") * 2.0)
    exe = fluid.Executor()
    for values in ([1, -1, 1], [1, 1, 1], [-1, -1, 1]):
        (got,) = exe.run(feed={"x": np.float32(values)}, fetch_list=[total])
        assert got == 2 * sum(i for i, value in enumerate(values) if value > 0)


@needs_compiler
def test_lods_that_rules_compute_are_told_as_without(compiled):
    x, zero = fluid.data("x", [2, 3]), fluid.layers.fill_constant([1], "int64", 0)
    read = fluid.layers.array_read(fluid.layers.array_write(x, zero), zero)  # nobody knows its LoD before the run
    shaped = fluid.layers.squeeze(fluid.layers.unsqueeze(read, [0]), [0])
    out = fluid.layers.relu(fluid.layers.scale(shaped, 2.0))
    exe = fluid.Executor()
    for i in range(3):
        got = exe.run(feed={"x": np.full((2, 3), i, "float32")}, fetch_list=[shaped, out])
        assert [one.tolist() for one in got] == [[[i] * 3] * 2, [[2 * i] * 3] * 2]


@needs_compiler
def test_the_profiler_times_the_operators_of_a_group(compiled, capsys, tmp_path):
    x = fluid.data("x", [2, 3])
    out = fluid.layers.exp(fluid.layers.sigmoid(fluid.layers.tanh(x)))
    exe, feed = fluid.Executor(), {"x": np.float32([[1, 2, 3], [4, 5, 6]])}
    before = [exe.run(feed=feed, fetch_list=[out])[0] for _ in range(2)][1]
    assert any(plan is not None for by_shape in plans() for plan in by_shape.values())
    with fluid.profiler.profiler("CPU", "total", str(tmp_path / "profile")):
        during = exe.run(feed=feed, fetch_list=[out])[0]
    table = capsys.readouterr().out
    assert all(name in table for name in ("tanh", "sigmoid", "exp"))
    np.testing.assert_allclose(during, before, rtol=1e-6)


@needs_compiler
def test_what_operators_do_besides_computing_is_done_every_run(compiled, capfd, tmp_path):
    x = fluid.data("x", [2, 3])
    total = fluid.layers.reduce_sum(fluid.layers.exp(fluid.layers.scale(x, 0.0)))
    shown = fluid.layers.Print(fluid.layers.scale(total, 2.0), message="the total")
    fluid.layers.Assert(fluid.layers.reduce_all(x > 0.0), [x])
    out = fluid.layers.scale(fluid.layers.exp(fluid.layers.scale(shown, 0.0)), 3.0)
    attrs = {"file_path": str(tmp_path / "total"), "overwrite": True}
    fluid.default_main_program().global_block().append_op(type="save", inputs={"X": total}, attrs=attrs)
    exe, feed = fluid.Executor(), {"x": np.ones((2, 3), "float32")}
    for _ in range(3):
        assert exe.run(feed=feed, fetch_list=[out])[0] == 3
        (tmp_path / "total").unlink()
    assert any(plan is not None for by_shape in plans() for plan in by_shape.values())
    told = capfd.readouterr()
    assert (told.out + told.err).count("the total") == 3
    with pytest.raises(fluid.core.EnforceNotMet, match="assert"):
        exe.run(feed={"x": -feed["x"]}, fetch_list=[out])


_PROGRAM = """
import warnings
import numpy as np
import paddle.fluid as fluid
x = fluid.data("x", [None, 3])
out = fluid.layers.reduce_sum(fluid.layers.exp(fluid.layers.scale(x, 2.0)))
more = fluid.layers.reduce_sum(fluid.layers.square(fluid.layers.scale(x, 3.0)))
exe = fluid.Executor()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for size in (2, 2, 4, 4):
        print(exe.run(feed={"x": np.zeros((size, 3), "float32")}, fetch_list=[out])[0])
    print(exe.run(feed={"x": np.ones((2, 3), "float32")}, fetch_list=[more])[0])
print([str(one.message) for one in told if "compiled" in str(one.message)])
"""
RESULTS = ["[6.]", "[6.]", "[12.]", "[12.]", "[54.]"]


def tell(folder, **variables):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "FLAGS_refluid_compile": "1", **variables}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, timeout=300
    )
    assert not done.returncode, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_without_a_compiler_there_is_one_warning(tmp_path):
    *results, told = tell(tmp_path, CXX="no-such-compiler")
    assert results == RESULTS
    assert told.count("cannot be compiled") == 1 and "no-such-compiler" in told


def test_a_cache_that_cannot_be_written_is_told_once(tmp_path):
    (tmp_path / "refluid").write_text("a file where a folder should be")
    *results, told = tell(tmp_path)
    assert results == RESULTS
    assert told.count("cannot be compiled") == 1


@needs_compiler
def test_libraries_are_kept_and_damaged_ones_made_again_with_one_warning(tmp_path):
    assert tell(tmp_path) == [*RESULTS, "[]"]
    libraries = sorted((tmp_path / "refluid").iterdir())
    assert len(libraries) == 3
    before = [library.stat().st_mtime_ns for library in libraries]
    assert tell(tmp_path) == [*RESULTS, "[]"]
    assert [library.stat().st_mtime_ns for library in libraries] == before
    whole = libraries[0].read_bytes()
    libraries[0].write_bytes(whole[: len(whole) // 2])  # the loader itself would crash over it
    libraries[1].write_bytes(b"damaged")
    *results, told = tell(tmp_path)
    assert results == RESULTS
    assert told.count("is damaged; it is compiled again") == 1
    assert libraries[0].read_bytes() == whole
    assert sorted((tmp_path / "refluid").iterdir()) == libraries
