"""ProgramTranslator, programs of declarative functions, and saving them."""

import pathlib
import runpy

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import Layer, Linear, ProgramTranslator, declarative, dygraph_to_static_func, to_variable
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.jit.function import Switch


@pytest.fixture(autouse=True)
def translation_is_on():
    yield
    ProgramTranslator.reset()


@declarative
def signed(x):
    """Has a docstring."""
    if layers.mean(x) > 0:
        y = x - 1
    else:
        y = x + 1
    return y


def plain(x):
    if layers.mean(x) > 0:
        return x - 1
    return x + 1


class Net(Layer):
    def __init__(self):
        super().__init__()
        self.fc = Linear(3, 2)

    @declarative
    def forward(self, x, label=None):
        y = self.fc(x)
        if label is not None:
            return y, layers.mean(y - label)
        return y


def array(*shape):
    return np.random.RandomState(0).rand(*shape).astype("float32")


def test_there_is_one_translator():
    assert ProgramTranslator() is ProgramTranslator.get_instance() is ProgramTranslator()


def test_a_decorated_function_keeps_its_name_and_docstring():
    assert signed.__name__ == "signed" and signed.__doc__ == "Has a docstring."
    assert declarative(signed) is signed


def test_switched_off_it_is_the_plain_function():
    translator = ProgramTranslator()
    translator.enable(False)
    assert not translator.enable_declarative
    with fluid.dygraph.guard():
        out = signed(to_variable(array(2)))
        assert Switch.last is None
        np.testing.assert_array_equal(out.numpy(), array(2) - 1)
        with pytest.raises(EnforceNotMet, match="translation is off"):
            translator.get_program(signed, array(2))
    with pytest.raises(ArgumentError, match="expected True or False, got str"):
        translator.enable("yes")


def test_get_output_takes_functions_methods_and_arrays():
    translator = ProgramTranslator()
    with fluid.dygraph.guard():
        np.testing.assert_array_equal(translator.get_output(plain, array(2)).numpy(), array(2) - 1)
        np.testing.assert_array_equal(translator.get_output(signed, -array(2)).numpy(), 1 - array(2))
        net = Net()
        x = to_variable(array(4, 3))
        np.testing.assert_array_equal(translator.get_output(net.forward, x).numpy(), net(x).numpy())
        assert len(list(translator.get_program_cache().concrete_programs())) == 1


def test_get_program_gives_programs_inputs_and_outputs():
    with fluid.dygraph.guard():
        main, startup, inputs, outputs = ProgramTranslator().get_program(signed, array(2, 3))
    assert [var.name for var in inputs] == ["x"] and inputs[0].shape == (2, 3)
    assert isinstance(startup, fluid.Program) and outputs[0].shape == (2, 3)
    assert [op.type for op in main.global_block().ops].count("conditional_block") == 2
    exe = fluid.Executor()
    (found,) = exe.run(main, feed={"x": array(2, 3)}, fetch_list=outputs)
    np.testing.assert_array_equal(found, array(2, 3) - 1)


def test_the_program_of_a_layer_has_its_parameters():
    with fluid.dygraph.guard():
        net = Net()
        main, _, inputs, outputs = ProgramTranslator().get_program(net.forward, array(4, 3))
        assert [p.name for p in main.all_parameters()] == [p.name for p in net.parameters()]
        assert len(inputs) == 1 and len(outputs) == 1


def test_get_code_is_readable_source():
    code = ProgramTranslator().get_code(signed)
    compile(code, "code", "exec")
    assert code.startswith("def signed(x):\n") and "y = x - 1" in code and "_jst.if_(" in code
    assert ProgramTranslator().get_code(Net.forward) == ProgramTranslator().get_code(Net.forward.translates)
    with pytest.raises(ArgumentError, match="expected a function, got int"):
        ProgramTranslator().get_code(3)


def test_get_func_builds_operators_into_a_program():
    build = ProgramTranslator().get_func(plain)
    main = fluid.Program()
    with fluid.program_guard(main):
        x = fluid.data("x", [2])
        out = build(x)
    for sign in (1, -1):
        (found,) = fluid.Executor().run(main, feed={"x": sign * array(2)}, fetch_list=[out])
        np.testing.assert_array_equal(found, sign * array(2) - sign)


def test_translated_functions_serve_programs_that_train():
    @dygraph_to_static_func
    def net(x):
        total = 0
        for i in range(3):
            total = total + x * i
        if layers.mean(total) > 100:
            total = total * 0
        return total

    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [-1, 2])
        loss = layers.mean(net(layers.fc(x, 1)) - 3.0)
        loss = loss * loss
        fluid.optimizer.SGD(0.02).minimize(loss)
    exe = fluid.Executor()
    exe.run(startup)
    losses = [exe.run(main, feed={"x": array(4, 2)}, fetch_list=[loss])[0].item() for _ in range(30)]
    assert losses[-1] < 0.01 * losses[0]
    with fluid.dygraph.guard():
        np.testing.assert_allclose(net(to_variable(array(2))).numpy(), 3 * array(2), rtol=1e-6)


def test_a_saved_model_gives_the_outputs_of_the_layer(tmp_path):
    with fluid.dygraph.guard():
        net = Net()
        x, label = array(4, 3), array(4, 2)
        y, mean = net(to_variable(x), to_variable(label))
        ProgramTranslator().save_inference_model(str(tmp_path / "both"))
        ProgramTranslator().save_inference_model(str(tmp_path / "one"), feed=[0], fetch=[0])
        with pytest.raises(ArgumentError, match="fetch has 2, but there are 2, numbered from 0"):
            ProgramTranslator().save_inference_model(str(tmp_path / "bad"), fetch=[2])
        with pytest.raises(ArgumentError, match="feed must be a list of ints"):
            ProgramTranslator().save_inference_model(str(tmp_path / "bad"), feed="x")
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "both"), exe)
        found = exe.run(program, feed=dict(zip(feeds, [x, label], strict=True)), fetch_list=fetches)
        np.testing.assert_array_equal(found[0], y.numpy())
        np.testing.assert_allclose(found[1], mean.numpy(), rtol=1e-6)
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "one"), exe)
        (more,) = exe.run(program, feed={feeds[0]: array(9, 3)}, fetch_list=fetches)
        assert feeds == ["x"] and more.shape == (9, 2)


def test_control_flow_survives_saving(tmp_path):
    @declarative
    def loop(x):
        i = 0
        while i < 3:
            if layers.mean(x) > 4:
                x = x - 1
            else:
                x = x * 2
            i += 1
        return x

    with fluid.dygraph.guard():
        expected = [loop(to_variable(array(2) * k)).numpy() for k in (1, 20)]
        ProgramTranslator().save_inference_model(str(tmp_path))
    exe = fluid.Executor()
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
    for k, value in zip((1, 20), expected, strict=True):
        np.testing.assert_array_equal(exe.run(program, feed={feeds[0]: array(2) * k}, fetch_list=fetches)[0], value)


def test_saving_before_anything_has_run_is_refused(tmp_path):
    with pytest.raises(EnforceNotMet, match="no declarative function has run yet"):
        ProgramTranslator().save_inference_model(str(tmp_path))
    with pytest.raises(EnforceNotMet, match="no declarative function has run yet"):
        ProgramTranslator().get_program_cache().last()


def test_prints_come_when_the_program_runs_and_are_not_saved(tmp_path, capsys):
    @declarative
    def talks(x):
        print("before", x, "after", sep="|")
        if layers.mean(x) > 0:
            print("positive")
        else:
            print("negative")
        assert layers.mean(x) < 100
        return x * 2

    with fluid.dygraph.guard():
        for value, word in ((1.0, "positive"), (-1.0, "negative"), (-2.0, "negative")):
            talks(to_variable(np.array([value], "float32")))
            printed = capsys.readouterr().out
            assert printed.startswith("before|name ") and f"[{value:.0f}]\n|after\n{word}\n" in printed
            assert printed.count("tive") == 1
        ProgramTranslator().save_inference_model(str(tmp_path))
    program, _, _ = fluid.io.load_inference_model(str(tmp_path), fluid.Executor())
    assert not any(op.type == "py_func" for block in program.blocks for op in block.ops)


def test_the_program_of_the_document_runs(tmp_path, monkeypatch):
    document = pathlib.Path(__file__).parents[2] / "docs" / "declarative.md"
    path = tmp_path / "document.py"  # translated functions have a file
    path.write_text(document.read_text().split("```python\n")[1].split("```")[0])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert (tmp_path / "net" / "__model__").exists()


def test_a_condition_may_take_the_value_of_a_tensor_with_numpy():
    @declarative
    def turned(x):
        if layers.mean(x).numpy()[0] > 0:
            y = x + 1
        else:
            y = x - 1
        return [y, x * 2]

    with fluid.dygraph.guard():
        for values, expected in (([1.0, 2.0], [2.0, 3.0]), ([-1.0, -2.0], [-2.0, -3.0])):
            found = turned(to_variable(np.array(values, "float32")))
            assert isinstance(found, list) and found[0].numpy().tolist() == expected


def test_programs_are_asked_for_outside_the_imperative_mode():
    def plain(x):
        return layers.relu(x) * 2

    x = np.array([-1, 2], "float32")
    main, _, inputs, outputs = ProgramTranslator().get_program(plain, x)
    assert [op.type for op in main.global_block().ops] == ["relu", "scale"]
    (found,) = fluid.Executor().run(main, feed={inputs[0].name: x}, fetch_list=outputs)
    assert found.tolist() == [0, 4] and not fluid.in_dygraph_mode()
    assert ProgramTranslator().get_output(plain, x).numpy().tolist() == [0, 4]


def test_a_schedule_that_is_called_inside_is_warned_of():
    @declarative
    def scaled(x, schedule):
        return x * schedule()

    with fluid.dygraph.guard(), pytest.warns(UserWarning, match="ExponentialDecay is called while a program is made"):
        scaled(to_variable(np.ones(2, "float32")), fluid.dygraph.ExponentialDecay(0.1, 2, 0.5))
