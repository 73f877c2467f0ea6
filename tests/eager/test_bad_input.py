"""What a wrong program is told, word for word, in the imperative mode."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

F32 = np.float32


@pytest.fixture(autouse=True)
def imperative():
    with fluid.dygraph.guard():
        yield


def var(*shape, dtype=F32):
    return fluid.dygraph.to_variable(np.ones(shape, dtype))


def refused(function, *says):
    with pytest.raises(EnforceNotMet) as caught:
        function()
    text = str(caught.value)
    for part in says:
        assert part in text, text
    return text


def test_columns_that_do_not_fit_name_the_shapes_and_the_line():
    x, w = var(2, 4), var(5, 3)
    text = refused(lambda: fluid.layers.mul(x, w), "mul: X flattened from axis 1 has 4 columns, but Y has 5 rows")
    assert "float32 [2, 4]" in text and "fluid.layers.mul(x, w)" in text


def test_channels_that_do_not_fit_are_told_in_the_words_of_the_static_mode():
    conv = fluid.dygraph.Conv2D(3, 4, 3)
    refused(lambda: conv(var(1, 1, 8, 8)), "conv2d: Input has 1 channels, but Filter takes 3 (groups=1)")


def test_linear_says_which_size_it_wants():
    refused(
        lambda: fluid.dygraph.Linear(4, 2)(var(3, 5)), "the last axis of the input must have 4 elements, got [3, 5]"
    )


def test_a_label_out_of_range_names_the_label_and_the_classes():
    label = fluid.dygraph.to_variable(np.array([[0], [12]]))
    refused(lambda: fluid.layers.cross_entropy(var(2, 10), label), "cross_entropy2: ", "12", "10 classes")


def test_a_wrong_dtype_is_refused_before_the_kernel():
    refused(lambda: fluid.layers.leaky_relu(var(3, dtype=np.int64)), "leaky_relu: X must be floating point, got int64")


def test_an_unknown_activation_is_named():
    refused(lambda: fluid.dygraph.Linear(4, 2, act="rellu")(var(3, 4)), "unknown activation 'rellu'")


def test_backward_through_a_part_that_an_earlier_one_has_freed_is_refused():
    x = var(2)
    x.stop_gradient = False
    square = x * x
    square.backward()
    refused((square * 2).backward, "was freed by an earlier backward()", "retain_graph=True")


def test_backward_twice_works_with_retain_graph():
    x = var(2)
    x.stop_gradient = False
    loss = fluid.layers.reduce_sum(x * x)
    loss.backward(retain_graph=True)
    loss.backward()
    assert np.allclose(x.gradient(), 2)


def test_minimize_without_backward_says_to_call_it():
    linear = fluid.dygraph.Linear(4, 2)
    loss = fluid.layers.mean(linear(var(3, 4)))
    sgd = fluid.optimizer.SGD(0.1, parameter_list=linear.parameters())
    with pytest.warns(UserWarning, match=r"minimize: no parameter has a gradient.*call loss.backward\(\) first"):
        sgd.minimize(loss)


def test_a_static_variable_in_the_imperative_mode_is_told():
    program = fluid.Program()
    static = program.global_block().create_var(name="static_x", shape=[2], dtype="float32")
    refused(lambda: fluid.layers.relu(static), "relu: X is static_x, a variable of a static program")


def test_a_numpy_array_instead_of_a_variable_is_told():
    refused(lambda: fluid.layers.relu(np.ones(2, F32)), "relu: X must be a Variable, got ndarray", "to_variable")


def test_using_data_that_a_program_declares_is_told():
    x = fluid.data("x", [None, 2])
    refused(lambda: fluid.layers.relu(x), "relu: X is x, a variable of a static program, but the imperative mode is on")


def test_set_value_of_another_shape_is_refused():
    refused(lambda: var(2).set_value(np.ones(3, F32)), "set_value: ", "has the shape [2], got [3]")


def test_a_layer_without_super_init_is_told():
    class Forgetful(fluid.dygraph.Layer):
        def __init__(self):
            self.fc = fluid.dygraph.Linear(2, 2)

    refused(Forgetful, "Forgetful.__init__ has set 'fc' before calling super().__init__()")


def test_a_state_dict_that_does_not_fit_lists_everything_and_loads_nothing():
    layer = fluid.dygraph.Linear(4, 2)
    before = layer.weight.numpy()
    refused(
        lambda: layer.set_dict({"weight": np.zeros((3, 2), F32)}),
        "set_dict: 2 of 2 entries do not match", "nothing was loaded", "has the shape [3, 2], the layer's is [4, 2]",
        "bias", "is missing",
    )  # fmt: skip
    assert np.array_equal(before, layer.weight.numpy())


def test_a_shape_that_does_not_divide_is_told_with_the_numbers():
    x = var(2, 5)
    text = refused(
        lambda: fluid.layers.reshape(x, [3, -1]), "reshape2: X of shape [2, 5] cannot be reshaped to [3, -1]"
    )
    assert "3 does not divide 10" in text and "fluid.layers.reshape(x, [3, -1])" in text


def test_an_axis_out_of_range_is_told():
    refused(lambda: fluid.layers.concat([var(2, 3), var(2, 3)], axis=5), "concat: ")


def test_an_unknown_dtype_lists_the_known_ones():
    refused(lambda: fluid.layers.cast(var(2), "float31"), "dtype must be one of", "float32", "got 'float31'")


def test_gradients_that_nobody_can_have_are_told():
    x = fluid.dygraph.to_variable(np.ones(2, F32))
    x.stop_gradient = False
    loss = fluid.layers.reduce_sum(x)
    with pytest.warns(UserWarning, match="parameter_list is empty"):
        sgd = fluid.optimizer.SGD(0.1, parameter_list=[])
    loss.backward()
    with pytest.warns(UserWarning, match="minimize: no parameter has a gradient"):
        sgd.minimize(loss)


def test_a_teacher_in_eval_mode_is_named_where_the_student_cannot_learn():
    teacher, student = fluid.dygraph.Linear(2, 1), fluid.dygraph.Linear(2, 1)
    teacher.eval()
    sgd = fluid.optimizer.SGD(0.1, parameter_list=student.parameters())
    loss = fluid.layers.reduce_sum(student(var(1, 2)) - teacher(var(1, 2)))
    loss.backward()
    with pytest.warns(UserWarning, match=r"train\(\) of the model before that"):
        sgd.minimize(loss)


def test_the_truth_and_the_number_of_many_elements_are_refused():
    refused(lambda: bool(var(2)), "only a variable with one element has one", "has the shape [2]")
    refused(lambda: float(var(2, 2)), "float: ", "[2, 2]")


def test_a_py_layer_without_its_methods_and_a_wrong_decorator_are_told():
    class Half(fluid.dygraph.PyLayer):
        @staticmethod
        def forward(inputs):
            return inputs[0]

    refused(lambda: fluid.dygraph.PyLayer()(var(2)), "PyLayer must define forward as a static method")
    refused(lambda: Half()(var(2)), "Half must define backward as a static method")
    refused(lambda: fluid.dygraph.no_grad(3), "no_grad: expected a function to decorate, got int")
    refused(lambda: var(2).item(), "item: only a variable with one element has one", "[2]")


def test_a_backward_pass_that_fails_leaves_the_model_able_to_go_on():
    class Fails(fluid.dygraph.PyLayer):
        @staticmethod
        def forward(inputs):
            return inputs[0]

        @staticmethod
        def backward(inputs):
            raise KeyError("of the user")

    linear = fluid.dygraph.Linear(4, 2)
    before = linear.weight.numpy()
    loss = fluid.layers.reduce_sum(Fails()(linear(var(1, 4)))[0])
    with pytest.raises(KeyError, match="of the user"):
        loss.backward()
    assert np.array_equal(linear.weight.numpy(), before)
    linear.clear_gradients()
    loss = fluid.layers.reduce_sum(linear(var(1, 4)))
    loss.backward()
    assert np.array_equal(linear.weight.gradient(), np.ones((4, 2), F32))
