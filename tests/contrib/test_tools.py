"""Tools about programs: memory_usage, op_freq_statistic, summary, and what 1.5 had besides. Numbers are 1.8.5's."""

import numpy as np
import pytest

import paddle.fluid as fluid


@pytest.fixture
def convolutions():
    """A small network with its loss; the programs are new."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        image, label = fluid.data("image", [None, 3, 16, 16]), fluid.data("label", [None, 1], "int64")
        x = fluid.layers.batch_norm(fluid.layers.conv2d(image, 8, 3, padding=1), act="relu")
        x = fluid.layers.conv2d(x, 8, 3, groups=2, act="tanh")
        x = fluid.layers.prelu(fluid.layers.pool2d(x, 2, pool_stride=2), "all")
        predicted = fluid.layers.fc(x, 5, act="softmax")
        yield main, fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))


def test_memory_usage_sums_up_what_operators_write(convolutions):
    main, _ = convolutions
    assert fluid.contrib.memory_usage(main, 10) == (561.9263671875, 588.6847656250001, "KB")
    lower, upper, unit = fluid.contrib.memory_usage(program=main, batch_size=1000)
    assert unit == "MB" and lower < upper


@pytest.mark.parametrize(
    ("program", "batch_size", "says"),
    [("main", 1, "memory_usage: expected a fluid.Program, got str"), (fluid.Program(), 0, "must be positive, got 0")],
)
def test_memory_usage_refuses(program, batch_size, says):
    with pytest.raises((TypeError, ValueError), match=says):
        fluid.contrib.memory_usage(program, batch_size)


def test_memory_usage_refuses_two_unknown_sizes():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fluid.layers.relu(fluid.data("x", [None, None]))
    with pytest.raises(ValueError, match=r"relu_0.tmp_0 \[-1, -1\] has more than one unknown size"):
        fluid.contrib.memory_usage(main, 3)


def test_operators_and_their_followers_are_counted(convolutions):
    main, _ = convolutions
    single, pairs = fluid.contrib.op_freq_statistic(main)
    assert single[:2] == [("elementwise_add", 3), ("conv2d", 2)] and dict(single)["mean"] == 1
    assert dict(pairs)["conv2d->elementwise_add"] == 2 and dict(pairs)["cross_entropy2->mean"] == 1
    with pytest.raises(TypeError, match="op_freq_statistic: expected a fluid.Program, got int"):
        fluid.contrib.op_freq_statistic(3)


def test_summary_prints_what_a_program_costs(convolutions, capsys):
    fluid.contrib.summary(convolutions[0])
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "|   0 |     conv2d | (3, 16, 16) | (8, 16, 16) |    216 | 110592 |"
    assert lines[6] == "|   3 |     conv2d | (8, 16, 16) | (8, 14, 14) |    144 |  56448 |"
    assert lines[10] == "|   7 |        mul |   (8, 7, 7) |        (5,) |   1961 |   1960 |"
    assert lines[12:14] == ["Total PARAMs: 2338(0.0023M)", "Total FLOPs: 178672(0.00G)"]


@pytest.mark.parametrize("function", [fluid.memory_optimize, fluid.release_memory, fluid.transpiler.memory_optimize])
def test_memory_functions_of_1_5_leave_programs_alone_and_say_so(function, convolutions, caplog):
    main, _ = convolutions
    before = str(main)
    function(main)
    assert str(main) == before and "changes nothing since 1.6" in caplog.text
    with pytest.raises(TypeError, match="expected a fluid.Program, got NoneType"):
        function(None)


def test_compiled_operators_are_refused_with_a_way_out(tmp_path):
    with pytest.raises(ValueError, match="load_op_library: there is no file 'none.so'"):
        fluid.load_op_library("none.so")
    (tmp_path / "relu2.so").write_bytes(b"\x7fELF")
    with pytest.raises(ValueError, match="write the operator in Python.*py_func"):
        fluid.load_op_library(str(tmp_path / "relu2.so"))


def test_constants_made_inside_init_on_cpu_say_so():
    startup = fluid.Program()
    with fluid.program_guard(fluid.Program(), startup):
        with fluid.initializer.init_on_cpu():
            assert fluid.initializer.force_init_on_cpu()
            fluid.layers.create_global_var([1], 2.0, "float32", name="inside")
        fluid.layers.create_global_var([1], 2.0, "float32", name="outside")
    assert not fluid.initializer.force_init_on_cpu()
    marks = {op.output("Out")[0]: op.attr("force_cpu") for op in startup.global_block().ops}
    assert marks == {"inside": True, "outside": False}


AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)


def decayed_line(**options):
    """[w, b] of a line after two steps, from w = 2 and b = 1."""
    main, startup = fluid.Program(), fluid.Program()
    constant = fluid.initializer.Constant
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 1])
        y = fluid.layers.fc(
            x, 1, param_attr=fluid.ParamAttr("w", constant(2.0)), bias_attr=fluid.ParamAttr("b", constant(1.0))
        )
        AdamW(learning_rate=0.1, **options).minimize(fluid.layers.mean(y))
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for _ in range(2):
            exe.run(main, feed={"x": np.ones((3, 1), "float32")})
        return [float(np.array(fluid.global_scope().find_var(name).get_tensor()).item()) for name in ("w", "b")]


def test_decay_is_taken_off_before_the_step():
    # Adam's first steps are 0.1 each, whatever the (constant) gradient.
    def step(p, decay):
        return p - decay * p - 0.1

    assert np.allclose(decayed_line(weight_decay=0.25), [step(step(p, 0.25), 0.25) for p in (2.0, 1.0)], atol=1e-5)
    only_w = decayed_line(weight_decay=0.25, apply_decay_param_fun=lambda name: name == "w")
    assert np.allclose(only_w, [step(step(2.0, 0.25), 0.25), 0.8], atol=1e-5)
    assert np.allclose(decayed_line(weight_decay=0.0), [1.8, 0.8], atol=1e-5)


def test_decay_in_the_imperative_mode():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(1, 1, param_attr=fluid.initializer.Constant(2.0), bias_attr=False)
        optimizer = AdamW(weight_decay=0.25, learning_rate=0.1, parameter_list=layer.parameters())
        for _ in range(2):
            loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(np.ones((3, 1), "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            layer.clear_gradients()
        assert np.allclose(layer.weight.numpy(), [[(2.0 * 0.75 - 0.1) * 0.75 - 0.1]], atol=1e-5)


def test_decay_appends_products_then_differences():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 1]), 1))
        AdamW(weight_decay=0.1).minimize(loss)
    types = [op.type for op in main.global_block().ops if op.attr("op_namescope").startswith("/weight decay")]
    assert types == ["scale", "scale", "elementwise_sub", "assign", "elementwise_sub", "assign"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam(0.1)), "must be a class of"),
        (lambda: AdamW(weight_decay="much", learning_rate=0.1), "weight_decay must be a float or a variable, got str"),
        (lambda: AdamW(0.1, "w", learning_rate=0.1), "apply_decay_param_fun must be a function, got str"),
    ],
)
def test_decay_refuses(call, says):
    with pytest.raises(TypeError, match=says):
        call()
