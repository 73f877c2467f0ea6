"""What a wrong program is told, word for word, in the static mode."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

F32 = np.float32


def network(size=10):
    image = fluid.layers.data("image", [1, 28, 28])
    label = fluid.layers.data("label", [1], dtype="int64")
    out = fluid.layers.fc(image, size=size, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
    return image, label, out, loss


def batch(n=4):
    return {"image": np.zeros((n, 1, 28, 28), F32), "label": np.zeros((n, 1), np.int64)}


def run(feed, fetch, startup=True):
    exe = fluid.Executor(fluid.CPUPlace())
    if startup:
        exe.run(fluid.default_startup_program())
    return exe.run(fluid.default_main_program(), feed=feed, fetch_list=fetch)


def refused(function, *says, error=EnforceNotMet):
    with pytest.raises(error) as caught:
        function()
    text = str(caught.value)
    for part in says:
        assert part in text, text
    assert "2520" not in text and "5040" not in text
    return text


def test_a_missing_feed_is_named():
    *_, loss = network()
    feed = batch()
    del feed["label"]
    refused(lambda: run(feed, [loss]), "feed: 'label' is missing (label  int64 [-1, 1])", "the feed has image")


def test_an_unknown_feed_is_named_with_what_there_is():
    *_, loss = network()
    with pytest.warns(UserWarning, match="feed: the program has no variable 'lable'; its data are image, label"):
        run({**batch(), "lable": np.zeros(1)}, [loss])


def test_a_feed_of_the_wrong_dtype_says_how_to_convert_it():
    y = fluid.layers.scale(fluid.data("x", [None, 4]), 2.0)
    refused(
        lambda: run({"x": np.zeros((2, 4))}, [y]),
        "feed 'x': the variable is declared float32, got float64; use .astype('float32')",
    )


def test_a_feed_whose_shape_contradicts_fluid_data_is_refused_at_once():
    x = fluid.data("x", [None, 4])
    y = fluid.layers.scale(x, 2.0)
    refused(
        lambda: run({"x": np.zeros((2, 5), F32)}, [y]),
        "feed 'x': the variable is declared [-1, 4], got the shape [2, 5]",
    )


def test_a_feed_whose_shape_does_not_fit_the_network_is_told_as_such():
    *_, loss = network()
    feed = {**batch(), "image": np.zeros((4, 1, 20, 20), F32)}
    text = refused(lambda: run(feed, [loss]), "mul: ", "400 columns", "784 rows", "image  float32 [4, 1, 20, 20]")
    assert "test_bad_input.py" in text and "fluid.layers.fc(image" in text


def test_fetching_what_does_not_exist_names_it():
    network()
    refused(lambda: run(batch(), ["nothing"]), "fetch_list must name variables of the program, got 'nothing'")


def test_running_before_the_startup_program_says_so():
    *_, loss = network()
    refused(
        lambda: run(batch(), [loss], startup=False),
        "the parameter fc_0.w_0 has no value; run the startup program first",
    )


def test_a_shared_parameter_of_another_shape_is_refused():
    x = fluid.data("x", [None, 4])
    fluid.layers.fc(x, 3, param_attr="w")
    refused(
        lambda: fluid.layers.fc(x, 5, param_attr="w"),
        "create_parameter: parameter w has the shape [4, 3] already, so it cannot be shared as [4, 5]",
    )


def test_columns_that_do_not_fit_name_both_variables_and_the_line():
    x = fluid.data("x", [None, 4])
    w = fluid.layers.create_parameter([5, 3], "float32", name="w")
    text = refused(lambda: fluid.layers.mul(x, w), "mul: X flattened from axis 1 has 4 columns, but Y has 5 rows")
    assert "X      x  float32 [-1, 4]" in text
    assert "built  " in text and "test_bad_input.py" in text


def test_channels_that_do_not_fit_are_told():
    x = fluid.data("x", [None, 3, 8, 8])
    refused(lambda: fluid.layers.conv2d(x, 4, 3, groups=2), "conv2d: groups=2 must divide the 3 channels")


def test_an_axis_out_of_range_is_told():
    x = fluid.data("x", [None, 3])
    refused(lambda: fluid.layers.concat([x, x], axis=5), "concat: ")


def test_a_label_out_of_range_names_the_label_and_the_classes():
    *_, loss = network(size=10)
    feed = batch()
    feed["label"][2, 0] = 12
    refused(lambda: run(feed, [loss]), "cross_entropy2: ", "12", "10 classes", "test_bad_input.py")


def test_an_unknown_activation_is_named():
    x = fluid.data("x", [None, 3])
    refused(lambda: fluid.layers.fc(x, 3, act="rellu"), "unknown activation 'rellu'")


def test_an_unknown_dtype_lists_the_known_ones():
    refused(lambda: fluid.data("x", [None, 3], dtype="float31"), "dtype must be one of", "float32", "got 'float31'")


def test_an_unknown_attribute_lists_the_known_ones():
    x = fluid.data("x", [None, 3])
    block = fluid.default_main_program().global_block()
    out = block.create_var(name="out")
    with pytest.warns(UserWarning, match="scale: there is no attribute skale; it has scale, bias, bias_after_scale"):
        block.append_op(type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"skale": 2.0})


def test_a_loss_of_several_elements_says_to_take_the_mean():
    _, _, out, _ = network()
    refused(
        lambda: fluid.optimizer.SGD(0.1).minimize(out),
        "append_backward: the loss must have one element, got fc_0.tmp_2 [-1, 10]",
        "fluid.layers.mean",
    )


def test_minimize_with_nothing_to_train_says_what_to_check():
    x = fluid.data("x", [None, 3])
    loss = fluid.layers.mean(x)
    with pytest.warns(UserWarning, match="depends on no trainable parameter"):
        assert fluid.optimizer.SGD(0.1).minimize(loss) == ([], [])


def test_backward_in_the_static_mode_points_to_minimize():
    *_, loss = network()
    refused(lambda: loss.backward(), "backward: mean_0.tmp_0 is a variable of the static mode", "minimize")


def test_numpy_of_a_static_variable_points_to_fetching():
    *_, loss = network()
    refused(lambda: loss.numpy(), "numpy: mean_0.tmp_0 is a variable of the static mode", "fetch_list")


def test_check_nan_inf_names_the_operator_and_the_line():
    x = fluid.data("x", [None, 2])
    y = fluid.layers.log(x)
    fluid.set_flags({"FLAGS_check_nan_inf": True})
    try:
        refused(
            lambda: run({"x": np.array([[1, -1]], F32)}, [y]), "log: the result log_0.tmp_0 holds nan", "layers.log(x)"
        )
    finally:
        fluid.set_flags({"FLAGS_check_nan_inf": False})


def test_a_failed_run_changes_no_parameter():
    *_, loss = network()
    fluid.optimizer.SGD(0.1).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    before = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
    feed = batch()
    feed["label"][0, 0] = -5
    refused(lambda: exe.run(feed=feed, fetch_list=[loss]), "cross_entropy2: ")
    assert np.array_equal(before, np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()))


def test_no_engine_frame_stands_between_the_user_and_the_refusal():
    x = fluid.data("x", [None, 4])
    w = fluid.layers.create_parameter([5, 3], "float32", name="w")
    with pytest.raises(EnforceNotMet) as caught:
        fluid.layers.mul(x, w)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
