"""Layer functions of one's own, written with LayerHelper, in both modes."""

import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, ragged, weights

from paddle import fluid
from paddle.fluid.layer_helper import LayerHelper

X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


def mine(input, size, act=None, param_attr=None, bias_attr=None, name=None):
    helper = LayerHelper("mine", **locals())
    dtype = helper.input_dtype()
    w = helper.create_parameter(attr=helper.param_attr, shape=[4, size], dtype=dtype, is_bias=False)
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op(
        type="mul", inputs={"X": input, "Y": [w]}, outputs={"Out": out},
        attrs={"x_num_col_dims": 1, "y_num_col_dims": 1},
    )  # fmt: skip
    return helper.append_activation(helper.append_bias_op(out, dim_start=1))


@pytest.fixture
def programs():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield


def test_the_program_is_the_one_that_fluid_builds(programs):
    (x,) = declare(x=X)
    mine(x, 3, act="relu")
    mine(x, 3, act="tanh", name="nn", bias_attr=False)
    assert operators() == [
        "mul: x mine_0.w_0 -> mine_0.tmp_0",
        "elementwise_add: mine_0.tmp_0 mine_0.b_0 -> mine_0.tmp_1",
        "relu: mine_0.tmp_1 -> mine_0.tmp_2",
        "mul: x nn.w_0 -> nn.tmp_0",
        "tanh: nn.tmp_0 -> nn.tmp_1",
    ]
    started = [op.output_arg_names for op in fluid.default_startup_program().global_block().ops]
    assert started == [["nn.w_0"], ["mine_0.b_0"], ["mine_0.w_0"]]


def test_a_layer_of_ones_own_runs_alike_in_both_modes():
    both(lambda x: mine(x, 3, act="sigmoid", param_attr=weights()), x=X)


def test_gradients_go_through_an_appended_operator():
    def gradient(x):
        x.stop_gradient = False
        return mine(x, 3, param_attr=weights())

    with fluid.program_guard(fluid.Program(), fluid.Program()):
        (x,) = declare(x=X)
        (wanted,) = fluid.gradients(gradient(x), x)
        exe = fluid.Executor()
        with fluid.scope_guard(fluid.Scope()):
            exe.run(fluid.default_startup_program())
            (static,) = exe.run(feed={"x": X}, fetch_list=[wanted])
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(X)
        fluid.layers.reduce_sum(gradient(x)).backward()
        np.testing.assert_allclose(x.gradient(), static, rtol=1e-6)


def test_lists_of_inputs_and_a_stopped_output():
    def total(*parts):
        helper = LayerHelper("total", input=list(parts))
        assert [x.name for x in helper.multiple_input()] == [x.name for x in parts]
        out = helper.create_variable_for_type_inference(helper.input_dtype())
        helper.append_op(type="sum", inputs={"X": list(parts)}, outputs={"Out": [out]}, stop_gradient=True)
        assert out.stop_gradient
        return out

    assert np.array_equal(both(total, x=X, y=X)[0], 2 * X)


def test_an_appended_operator_carries_the_lod():
    def relu(x):
        helper = LayerHelper("mine")
        out = helper.create_variable_for_type_inference("float32")
        helper.append_op("relu", inputs={"X": x}, outputs={"Out": out})
        return fluid.layers.sequence_pool(out, "sum")

    assert both(relu, x=ragged([[1], [2], [-3]], [2, 1]))[0].tolist() == [[3], [0]]


def test_param_attrs_are_handed_out_to_inputs(programs):
    x, y = declare(x=X, y=X)
    helper = LayerHelper("mine", input=[x, y], param_attr=["a", "b"])
    assert [(one.name, attr.name) for one, attr in helper.iter_inputs_and_params()] == [("x", "a"), ("y", "b")]
    assert [attr.name for attr in LayerHelper("mine", param_attr="a").multiple_param_attr(2)] == ["a", "a"]
    assert LayerHelper("mine", bias_attr=False).bias_attr is False


def test_global_variables_are_made_once_and_initialised(programs):
    helper = LayerHelper("mine")
    counter, new = helper.create_or_get_global_variable("counter", dtype="float32", shape=[1], persistable=True)
    assert new and counter.persistable and counter.stop_gradient
    helper.set_variable_initializer(counter, fluid.initializer.Constant(3.0))
    assert helper.create_or_get_global_variable(name="counter", dtype="float32", shape=[1]) == (counter, False)
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(helper.startup_program)
        assert exe.run(helper.main_program, fetch_list=[counter])[0].tolist() == [3]


def test_names_of_variables_are_fluids(programs):
    helper = LayerHelper("mine")
    assert (helper.name, helper.layer_type, helper.kwargs) == ("mine_0", "mine", {"name": "mine_0"})
    assert helper.create_global_variable(dtype="float32", shape=[1]).name == "_generated_var_0"
    assert helper.create_variable(dtype="float32", shape=[2]).name == "_generated_var_1"
    assert helper.create_variable(name="own", dtype="float32", shape=[2]).name == "own"
    assert helper.create_variable_for_type_inference("float32").name == "mine_0.tmp_0"
    made = helper.create_parameter(None, [2, 3], "float32")
    assert made.name == "mine_0.w_0" and helper.get_parameter("mine_0.w_0") is made
    assert helper.create_parameter(False, [2, 3], "float32") is None


def test_variables_of_the_imperative_mode_are_initialised_at_once():
    with fluid.dygraph.guard():
        helper = LayerHelper("mine", input=X)
        counter = helper.create_global_variable(persistable=True, dtype="float32", shape=[2], name="counter")
        helper.set_variable_initializer(counter, fluid.initializer.Constant(3.0))
        assert counter.numpy().tolist() == [3, 3] and counter.name == "counter" and counter.persistable
        assert np.array_equal(helper.input().numpy(), X)


def test_wrong_arguments_are_told(programs):
    x, y = declare(x=X, y=X.astype("int64"))
    for call, says in (
        (lambda: LayerHelper("mine").input(), "mine: input is missing"),
        (lambda: LayerHelper("mine", input=[x, y]).input(), "mine: input takes one variable, got 2"),
        (lambda: LayerHelper("mine", input=[x, y]).input_dtype(), "must be of one dtype, got x float32, y int64"),
        (lambda: LayerHelper("mine", size=3).is_instance("size", str), "mine: size must be of str, got int"),
        (lambda: LayerHelper("mine").get_parameter("x"), "mine: the program has no parameter 'x'"),
        (lambda: LayerHelper("mine", act="nope").append_activation(x), "unknown activation 'nope'"),
        (lambda: LayerHelper("mine", param_attr=["a", "b"]).multiple_param_attr(3), "3 param_attr are needed, got 2"),
    ):
        with pytest.raises((ValueError, TypeError), match=says):
            call()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"type": "nope"}, "operator 'nope' does not exist"),
        ({"type": "relu", "inputs": {}}, "relu: input X is missing"),
        ({"type": "relu", "inputs": {"X": [1, 2]}}, "relu: input X takes one variable, got 2"),
    ],
)
def test_wrong_operators_are_told_in_the_same_words_in_both_modes(programs, given, says):
    with pytest.raises(ValueError, match=says):
        LayerHelper("mine").append_op(**given)
    with fluid.dygraph.guard(), pytest.raises(ValueError, match=says):
        LayerHelper("mine").append_op(**given)
