"""Mistakes while a network is built."""

import numpy as np

import paddle.fluid as fluid
from tests.errors.mistakes.table import mistake

layers = fluid.layers


@mistake("fc", "a positive int", "'ten'")
def a_width_that_is_no_number():
    x = fluid.data("x", [None, 4])
    layers.fc(x, size="ten")  # <-


@mistake("fc", "a positive int", "-3")
def a_negative_width():
    x = fluid.data("x", [None, 4])
    layers.fc(x, size=-3)  # <-


@mistake("fc", "must be a Variable", "ndarray")
def an_array_in_place_of_a_variable():
    layers.fc(np.ones([2, 4], "float32"), size=3)  # <-


@mistake("relu", "relu", "'rellu'")
def an_activation_that_does_not_exist():
    x = fluid.data("x", [None, 4])
    layers.fc(x, size=3, act="rellu")  # <-


@mistake("elementwise_add", "[-1, 3]", "[-1, 2]")
def a_sum_of_shapes_that_do_not_fit():
    x = fluid.data("x", [None, 4])
    three, two = layers.fc(x, 3), layers.fc(x, 2)
    three + two  # <-


@mistake("matmul", "4 columns", "3 rows")
def a_product_of_shapes_that_do_not_fit():
    x, y = fluid.data("x", [2, 4]), fluid.data("y", [3, 2])
    layers.matmul(x, y)  # <-


@mistake("conv2d", "4 axes", "[-1, 784]")
def an_image_without_its_axes():
    x = fluid.data("x", [None, 784])
    layers.conv2d(x, num_filters=8, filter_size=3)  # <-


@mistake("conv2d", "num_filters", "None")
def a_convolution_without_filters():
    x = fluid.data("x", [None, 1, 28, 28])
    layers.conv2d(x, num_filters=None, filter_size=3)  # <-


@mistake("conv2d", "groups", "3")
def groups_that_do_not_share_the_channels():
    x = fluid.data("x", [None, 4, 8, 8])
    layers.conv2d(x, num_filters=6, filter_size=3, groups=3)  # <-


@mistake("pool2d", "max", "'maximum'")
def a_kind_of_pooling_that_does_not_exist():
    x = fluid.data("x", [None, 1, 28, 28])
    layers.pool2d(x, pool_size=2, pool_type="maximum")  # <-


@mistake("reshape", "12", "[5, 2]")
def a_shape_with_another_number_of_elements():
    x = fluid.data("x", [3, 4])
    layers.reshape(x, shape=[5, 2])  # <-


@mistake("concat", "[2, 3]", "[4, 4]")
def parts_that_do_not_fit_beside_one_another():
    x, y = fluid.data("x", [2, 3]), fluid.data("y", [4, 4])
    layers.concat([x, y], axis=1)  # <-


@mistake("transpose", "order the 3 axes", "[0, 1]")
def a_permutation_that_misses_an_axis():
    x = fluid.data("x", [2, 3, 4])
    layers.transpose(x, perm=[0, 1])  # <-


@mistake("split", "7", "2")
def a_split_that_does_not_come_out_even():
    x = fluid.data("x", [3, 7])
    layers.split(x, num_or_sections=2, dim=1)  # <-


@mistake("reduce_sum", "[-2, 1]", "[5]")
def an_axis_that_does_not_exist():
    x = fluid.data("x", [3, 7])
    layers.reduce_sum(x, dim=5)  # <-


@mistake("cast", "float32", "'float23'")
def a_data_type_that_does_not_exist():
    x = fluid.data("x", [None, 4])
    layers.cast(x, "float23")  # <-


@mistake("embedding", "int64", "float32")
def ids_that_are_no_integers():
    x = fluid.data("x", [None, 1], "float32")
    layers.embedding(x, size=[10, 4])  # <-


@mistake("embedding", "size", "10")
def a_table_of_one_number():
    x = fluid.data("x", [None, 1], "int64")
    layers.embedding(x, size=10)  # <-


@mistake("cross_entropy", "int64", "float32")
def labels_that_are_no_integers():
    x, label = fluid.data("x", [None, 10]), fluid.data("label", [None, 1], "float32")
    loss = layers.cross_entropy(layers.softmax(x), label)  # <-
    feed = {"x": np.ones([2, 10], "float32"), "label": np.ones([2, 1], "float32")}
    fluid.Executor().run(feed=feed, fetch_list=[loss])


@mistake("dropout", "between 0 and 1", "1.5")
def a_probability_above_one():
    x = fluid.data("x", [None, 10])
    layers.dropout(x, dropout_prob=1.5)  # <-


@mistake("ParamAttr", "fluid.initializer", "float")
def a_number_in_place_of_an_initializer():
    x = fluid.data("x", [None, 10])
    layers.fc(x, 3, param_attr=fluid.ParamAttr(initializer=0.1))  # <-


@mistake("create_parameter", "[4, 3]", "[4, 5]")
def a_shared_parameter_of_another_shape():
    x = fluid.data("x", [None, 4])
    layers.fc(x, 3, param_attr="shared", bias_attr=False)
    layers.fc(x, 5, param_attr="shared", bias_attr=False)  # <-


@mistake("data", "shape", "None")
def an_input_without_a_shape():
    fluid.data("x", None)  # <-


@mistake("fluid.data", "a str", "int")
def an_input_whose_name_is_no_text():
    fluid.data(5, [None, 4])  # <-


@mistake("`while`", "fluid.layers.While", "fill_constant_0.tmp_0", warned=True)
def a_loop_of_python_over_a_variable_of_a_program():
    count = layers.fill_constant([1], "int64", 0)
    while count:  # <-
        break


@mistake("while_loop", "bool", "int64")
def a_loop_whose_condition_is_no_truth():
    start = layers.fill_constant([1], "int64", 0)
    layers.while_loop(lambda i: i + 1, lambda i: [i + 1], [start])  # <-


@mistake("cond", "same structure", "(., .)")
def branches_that_give_different_numbers_of_results():
    x = fluid.data("x", [1])
    layers.cond(x < 0.0, lambda: (x, x), lambda: x)  # <-


@mistake("numpy", "Executor.run(fetch_list", "static mode")
def a_value_of_a_variable_that_has_none_yet():
    x = fluid.data("x", [1])
    x.numpy()  # <-


@mistake("fc", "at least one", "[]")
def a_layer_of_nothing():
    layers.fc([], size=3)  # <-


@mistake("fc", "num_flatten_dims must be in [1, 1]", "2")
def a_layer_that_flattens_too_late():
    x = fluid.data("x", [None, 4])
    layers.fc(x, size=3, num_flatten_dims=2)  # <-


@mistake("fc", "a weight", "False")
def a_layer_without_a_weight():
    x = fluid.data("x", [None, 4])
    layers.fc(x, size=3, param_attr=False)  # <-


@mistake("fc", "a str", "5")
def a_layer_named_by_a_number():
    x = fluid.data("x", [None, 4])
    layers.fc(x, size=3, name=5)  # <-


@mistake("ConstantInitializer", "a number", "'zero'")
def a_constant_that_is_a_word():
    fluid.initializer.Constant("zero")  # <-


@mistake("batch_norm", "'relu'", "'relux'")
def an_activation_of_another_layer_that_does_not_exist():
    image = fluid.data("image", [None, 3, 8, 8])
    layers.batch_norm(image, act="relux")  # <-


@mistake("data", "[-1, 4]", "[-1, 5]")
def data_declared_twice():
    fluid.data("x", [None, 4])
    fluid.data("x", [None, 5])  # <-


@mistake("fluid.data", "an int", "4.5")
def an_input_whose_size_is_a_fraction():
    fluid.data("x", [None, 4.5])  # <-


@mistake("fluid.data", "an int", "'None'")
def an_input_whose_size_is_a_word():
    fluid.data("x", ["None", 4])  # <-


@mistake("UniformInitializer", "low must be a number", "'a'")
def a_bound_that_is_a_word():
    fluid.initializer.Uniform("a", 1.0)  # <-


@mistake("create_random_int_lodtensor", "low must not be above high", "low=5, high=2")
def random_numbers_between_swapped_bounds():
    fluid.create_random_int_lodtensor([[2, 3]], [1], fluid.CPUPlace(), 5, 2)  # <-


@mistake("create_lod_tensor", "CPUPlace", "'cpu'")
def a_tensor_at_a_place_that_is_a_text():
    fluid.create_lod_tensor(np.ones([3, 1], "float32"), [[3]], "cpu")  # <-
