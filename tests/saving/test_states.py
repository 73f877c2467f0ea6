"""State files of both modes: fluid.save and load, save_dygraph, and the folders of 1.4 and 1.5."""

import os

import numpy as np
import pytest
from tests.saving.models import same, trained

import paddle.fluid as fluid
import refluid.checkpoint
from refluid.core.errors import EnforceNotMet
from refluid.saving.state_file import read_state, write_state


def test_training_goes_on_from_a_saved_program(tmp_path):
    net = trained()
    fluid.save(net.main, str(tmp_path / "net"))
    assert sorted(os.listdir(tmp_path)) == ["net.pdmodel", "net.pdopt", "net.pdparams"]
    losses = [net.step() for _ in range(3)]
    fluid.load(net.main, str(tmp_path / "net"), net.exe)
    assert [net.step() for _ in range(3)] == losses


def test_a_state_set_by_hand(tmp_path):
    net = trained()
    fluid.save(net.main, str(tmp_path / "net"))
    before = net.values()
    net.step()
    state = fluid.io.load_program_state(str(tmp_path / "net"))
    assert same(state, before)
    fluid.io.set_program_state(net.main, state)
    assert same(net.values(), before)


@pytest.mark.parametrize("combined", [False, True])
def test_load_takes_what_save_vars_wrote(tmp_path, combined):
    net = trained()
    fluid.io.save_persistables(net.exe, str(tmp_path / "vars"), net.main, "all" if combined else None)
    before = net.values()
    net.step()
    listed = [var for var in net.main.list_vars() if var.persistable]
    path = str(tmp_path / "vars" / "all") if combined else str(tmp_path / "vars")
    fluid.load(net.main, path, net.exe, var_list=listed if combined else None)
    assert same(net.values(), before)
    assert same(fluid.io.load_program_state(path, var_list=listed), before)
    if combined:
        with pytest.raises(EnforceNotMet, match="var_list must name them"):
            fluid.load(net.main, path, net.exe)


def test_parameters_and_persistables_of_a_program():
    net = trained(steps=0)
    params = [var.name for var in fluid.io.get_program_parameter(net.main)]
    assert params == ["fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"]
    assert {var.name for var in fluid.io.get_program_persistable_vars(net.main)} == set(net.values())


def shaped(shape, dtype):
    return lambda state: state.update({"fc_0.w_0": np.zeros(shape, dtype)})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda state: state.pop("fc_0.w_0"), "has no fc_0.w_0"),
        (shaped((2, 3), "float32"), r"fc_0.w_0 has the shape \[2, 3\], the program's is \[4, 3\]"),
        (shaped((4, 3), "float64"), "fc_0.w_0 is float64, the program's is float32"),
    ],
)
def test_a_state_that_does_not_fit_changes_nothing(tmp_path, change, words):
    net = trained()
    path = str(tmp_path / "net")
    fluid.save(net.main, path)
    state = read_state(path + ".pdparams")
    change(state)
    write_state(path + ".pdparams", state)
    net.step()
    before = net.values()
    with pytest.raises(EnforceNotMet, match=words):
        fluid.load(net.main, path, net.exe)
    assert same(net.values(), before)


def test_paths_that_are_none(tmp_path):
    net = trained(steps=0)
    for call in (lambda p: fluid.save(net.main, p), lambda p: fluid.load(net.main, p), fluid.io.load_program_state):
        with pytest.raises(EnforceNotMet, match="model_path must be folder/name"):
            call(str(tmp_path) + "/")
        with pytest.raises(EnforceNotMet, match="model_path must be folder/name"):
            call("")
    with pytest.raises(EnforceNotMet, match="there is neither"):
        fluid.load(net.main, str(tmp_path / "nothing"))


def test_unused_entries_are_told(tmp_path):
    net = trained()
    with pytest.warns(UserWarning, match="no use for stranger"):
        fluid.io.set_program_state(net.main, {"stranger": np.zeros(1, "float32")})


# -- imperative ---------------------------------------------------------------------------------------------------


def imperative(name=None):
    layer = fluid.dygraph.Linear(3, 2)
    schedule = fluid.dygraph.PiecewiseDecay([1, 2], [0.1, 0.05, 0.01], 0)
    return layer, fluid.optimizer.Adam(schedule, parameter_list=layer.parameters(), name=name)


def step(layer, optimizer):
    loss = fluid.layers.mean(layer(fluid.dygraph.to_variable(np.ones((2, 3), "float32"))))
    loss.backward()
    optimizer.minimize(loss)
    layer.clear_gradients()
    return loss.numpy().item()


def test_training_goes_on_from_a_state_of_layer_and_optimizer(tmp_path):
    path = str(tmp_path / "deep" / "net")
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative()
        step(layer, optimizer)
        fluid.save_dygraph(layer.state_dict(), path)
        fluid.save_dygraph(optimizer.state_dict(), path)
        losses = [step(layer, optimizer) for _ in range(4)]
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative()
        params, state = fluid.load_dygraph(path)
        layer.set_dict(params)
        optimizer.set_dict(state)
        assert [step(layer, optimizer) for _ in range(4)] == losses


@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "bool"])
def test_a_layer_refuses_a_state_of_another_dtype_as_fluid_does(dtype):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        weight = layer.weight.numpy()
        state = {"bias": np.ones(2, "float32"), "weight": np.ones((3, 2), dtype)}
        with pytest.raises(EnforceNotMet, match=rf"weight +has the dtype {dtype}, the layer's is float32"):
            layer.set_dict(state)
        assert np.array_equal(layer.weight.numpy(), weight) and not layer.bias.numpy().any()


def test_a_layer_refuses_an_array_of_objects():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        state = {"bias": np.ones(2, "float32"), "weight": np.full((3, 2), None)}
        with pytest.raises(EnforceNotMet, match="weight +holds no numbers"):
            layer.set_dict(state)


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones((5, 5), "float32"), r"linear_0.w_0_moment1_0 +has the shape \[5, 5\], expected \[3, 2\]"),
        (np.ones((3, 2), "float64"), "linear_0.w_0_moment1_0 +has the dtype float64, expected float32"),
        (np.full((3, 2), None), "linear_0.w_0_moment1_0 +holds no numbers"),
    ],
)
def test_an_optimizer_refuses_at_once_a_state_that_does_not_fit_and_keeps_its_own(stepped, value, words):
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative()
        step(layer, optimizer)
        state = {
            name: held.numpy() if hasattr(held, "numpy") else held for name, held in optimizer.state_dict().items()
        }
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative()
        if stepped:
            step(layer, optimizer)
        before = {name: np.array(held.numpy()) for name, held in optimizer._accumulators.state().items()}
        with pytest.raises(EnforceNotMet, match=words):
            optimizer.set_dict({**state, "linear_0.w_0_moment1_0": value})
        assert same({name: held.numpy() for name, held in optimizer._accumulators.state().items()}, before)
        assert optimizer._learning_rate.step_num == (1 if stepped else 0)
        optimizer.set_dict(state)  # and a good one is still taken
        assert step(layer, optimizer) is not None
        assert optimizer._learning_rate.step_num == 2


def test_a_checkpoint_whose_optimizer_does_not_fit_leaves_the_layer_alone(tmp_path):
    path = str(tmp_path / "checkpoint")
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative()
        step(layer, optimizer)
        refluid.checkpoint.save(path, model=layer, optimizer=optimizer)
    state = read_state(path)
    state["optimizer"]["linear_0.w_0_moment1_0"] = np.ones((7, 7), "float32")
    write_state(path, state)
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative()
        weight = layer.weight.numpy()
        with pytest.raises(EnforceNotMet, match=r"checkpoint: set_dict: .*\n.*moment1_0 +has the shape \[7, 7\]"):
            refluid.checkpoint.load(path, model=layer, optimizer=optimizer)
        assert np.array_equal(layer.weight.numpy(), weight)


def test_names_of_parameters_are_kept_on_demand(tmp_path):
    path = str(tmp_path / "net")
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        fluid.save_dygraph(fluid.dygraph.Linear(3, 2).state_dict(), path)
        assert set(fluid.load_dygraph(path + ".pdparams")[0]) == {"weight", "bias"}
        table = fluid.load_dygraph(path, keep_name_table=True)[0]["StructuredToParameterName@@"]
        assert table == {"weight": "linear_0.w_0", "bias": "linear_0.b_0"}


def test_either_file_may_be_alone(tmp_path):
    with fluid.dygraph.guard():
        layer, optimizer = imperative()
        step(layer, optimizer)
        fluid.save_dygraph(layer.state_dict(), str(tmp_path / "a"))
        fluid.save_dygraph(optimizer.state_dict(), str(tmp_path / "b"))
        assert fluid.load_dygraph(str(tmp_path / "a"))[1] is None
        assert fluid.load_dygraph(str(tmp_path / "b"))[0] is None
        with pytest.raises(EnforceNotMet, match="there is neither"):
            fluid.load_dygraph(str(tmp_path / "c"))


def test_nothing_is_not_saved(tmp_path):
    with pytest.raises(EnforceNotMet, match="state_dict is empty"):
        fluid.save_dygraph({}, str(tmp_path / "a"))


def test_folders_of_1_5_with_an_optimizer(tmp_path):
    with fluid.unique_name.guard(), fluid.dygraph.guard():
        layer, optimizer = imperative("adam")
        step(layer, optimizer)
        fluid.dygraph.save_persistables(layer.state_dict(), str(tmp_path), optimizer)
        losses = [step(layer, optimizer) for _ in range(4)]
        layer.weight.set_value(np.zeros((3, 2), "float32"))
        params, optimizers = fluid.dygraph.load_persistables(str(tmp_path))
        assert set(params) == {"linear_0.w_0", "linear_0.b_0"} and set(optimizers) == {"adam"}
        layer.load_dict(params)
        optimizer.load(optimizers)
        assert [step(layer, optimizer) for _ in range(4)] == losses


def test_folders_of_1_5_without_an_optimizer_say_so(tmp_path, capsys):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        fluid.dygraph.save_persistables(layer.state_dict(), str(tmp_path))
        _, optimizers = fluid.dygraph.load_persistables(str(tmp_path))
    assert optimizers == {}
    assert capsys.readouterr().out.rstrip() == (
        "No optimizer loaded. If you didn't save optimizer, please ignore this. "
        "The program can still work with new optimizer."
    )


@pytest.mark.parametrize("filename", [None, "all"])
def test_folders_of_1_4(tmp_path, filename):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        weight = layer.weight.numpy()
        fluid.dygraph.save_persistables(layer.state_dict(), str(tmp_path), filename)
        layer.weight.set_value(np.zeros((3, 2), "float32"))
        layer.load_dict(fluid.dygraph.load_persistables(layer.state_dict(), str(tmp_path), filename))
        assert np.array_equal(layer.weight.numpy(), weight)


def test_values_of_single_parameters():
    net = trained()
    exe, values = net.exe, net.values()
    for param in net.main.all_parameters():
        assert np.array_equal(fluid.io.get_parameter_value(param, exe), values[param.name])
        assert np.array_equal(fluid.io.get_parameter_value_by_name(param.name, exe, net.main), values[param.name])
    with pytest.raises(EnforceNotMet, match="must be a parameter, got 'x'"):
        fluid.io.get_parameter_value_by_name("x", exe, net.main)


def test_fluid_itself_has_the_states_of_programs():
    assert fluid.load_program_state is fluid.io.load_program_state
    assert fluid.set_program_state is fluid.io.set_program_state
