"""Passes: the source of a plan before and after, and that it computes the same."""

import re
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.executor import passes
from refluid.executor.graph.verify import BrokenGraph

F32 = np.float32


def calls(fetch, optimize=True):
    """The functions that a plan calls, in order."""
    source = fluid.default_main_program().to_source(fetch_list=fetch, optimize=optimize)
    return re.findall(r"^    (?:[^=(]* = )?(\w+)\(", source.split("\n", 1)[1], re.M)


def steps(fetch, feed, count=3):
    """What `count` runs fetch, from parameters of one seed, with the passes."""
    fluid.default_startup_program().random_seed = 1
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    return [exe.run(feed=feed, fetch_list=fetch) for _ in range(count)]


def test_every_pass_is_followed_by_the_verifier(monkeypatch):
    """In the tests, and in the processes that they start."""

    def breaks(graph):
        graph.nodes.reverse()

    out = fluid.layers.fc(fluid.data("x", [None, 4]), 3, act="relu")
    monkeypatch.setattr(passes, "of_other_folders", [breaks])
    with pytest.raises(BrokenGraph, match="before it is computed"):
        calls([out])
    program = "from refluid.executor import passes; print(passes.checked)"
    started = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert started.stdout.split() == ["True"]


def test_a_bias_joins_its_product_and_a_relu_works_in_place():
    out = fluid.layers.fc(fluid.data("x", [None, 4]), 3, act="relu")
    assert calls([out], optimize=False) == ["mul", "elementwise_add", "relu"]
    assert calls([out]) == ["mul_bias", "relu_"]


def test_a_bias_joins_its_convolution():
    image = fluid.data("image", [None, 1, 8, 8])
    out = fluid.layers.conv2d(image, 2, 3, act="relu")
    assert calls([out], optimize=False) == ["conv2d", "elementwise_add", "relu"]
    fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(out))
    assert calls([out])[:3] == ["channels_last", "conv2d_bias", "relu_"]


def test_a_sum_that_is_fetched_is_not_written_over():
    x = fluid.data("x", [None, 4])
    before = fluid.layers.fc(x, 3)
    out = fluid.layers.relu(before)
    assert calls([before, out]) == ["mul_bias", "relu"]
    found = steps([before, out], {"x": np.random.randn(2, 4).astype(F32)}, 1)[0]
    assert (found[0] < 0).any() and np.array_equal(np.maximum(found[0], 0), found[1])


def test_a_product_that_somebody_else_reads_keeps_its_own_call():
    x = fluid.data("x", [None, 4])
    product = fluid.layers.fc(x, 3, bias_attr=False)
    bias = fluid.layers.create_parameter([3], "float32", name="b")
    out = fluid.layers.elementwise_add(product, bias, axis=1)
    other = fluid.layers.exp(product)
    assert "mul_bias" not in calls([out, other])
    assert "mul_bias" in calls([out])


def test_a_relu_whose_input_is_read_later_is_not_in_place():
    x = fluid.data("x", [None, 4])
    before = fluid.layers.fc(x, 3)
    out = fluid.layers.elementwise_add(fluid.layers.relu(before), before)
    assert "relu_" not in calls([out])
    feed = {"x": np.random.randn(2, 4).astype(F32)}
    first, second = steps([out], feed, 1)[0][0], steps([before], feed, 1)[0][0]
    assert np.allclose(first, np.maximum(second, 0) + second)


def test_a_relu_whose_input_another_variable_is_a_view_of_is_not_in_place():
    x = fluid.data("x", [None, 4])
    before = fluid.layers.fc(x, 4)
    square = fluid.layers.reshape(before, [-1, 2, 2])
    out = fluid.layers.relu(before) + fluid.layers.reshape(square, [-1, 4])
    feed = {"x": np.random.randn(3, 4).astype(F32)}
    first, second = steps([out], feed, 1)[0][0], steps([before], feed, 1)[0][0]
    assert (second < 0).any() and np.allclose(first, np.maximum(second, 0) + second)


def test_calls_that_nothing_reads_are_dropped():
    x = fluid.data("x", [None, 4])
    out = fluid.layers.exp(x)
    fluid.layers.tanh(fluid.layers.square(x))
    assert calls([out]) == ["exp"]


def test_gradients_that_nothing_reads_are_not_computed():
    x = fluid.data("x", [None, 4])
    x.stop_gradient = False
    loss = fluid.layers.mean(fluid.layers.fc(x, 1))
    fluid.optimizer.SGD(0.1).minimize(loss)
    source = fluid.default_main_program().to_source(fetch_list=[loss])
    assert "needs=(False, True)" in source


def test_updates_of_one_kind_are_merged_and_of_two_kinds_are_not():
    x = fluid.data("x", [None, 4])
    loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.fc(x, 3), 1))
    fluid.optimizer.Adam(0.1).minimize(loss)
    assert calls([loss]).count("adam_all") == 1 and "adam" not in calls([loss])


def test_a_trained_network_with_and_without_passes_is_the_same():
    image = fluid.data("image", [None, 1, 8, 8])
    label = fluid.data("label", [None, 1], dtype="int64")
    hidden = fluid.nets.simple_img_conv_pool(image, 4, 3, 2, 2, act="relu")
    out = fluid.layers.fc(fluid.layers.fc(hidden, 8, act="tanh"), 3, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
    fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    feed = {"image": np.random.rand(4, 1, 8, 8).astype(F32), "label": np.array([[0], [1], [2], [1]])}
    fused = [found[0] for found in steps([loss], feed)]

    # Fetching every temporary keeps the passes from fusing anything.
    block = fluid.default_main_program().global_block()
    temporaries = [
        op.output(slot)[0] for op in block.ops for slot in op.output_names[:1] if op.attr("op_role") in (0, 256)
    ]
    plain = [found[0] for found in steps([loss, *temporaries], feed)]
    assert np.allclose(fused, plain, rtol=1e-5)


def test_layout_is_invisible_in_values_and_files():
    image = fluid.data("image", [None, 3, 8, 8])
    out = fluid.layers.conv2d(image, 4, 3, param_attr="filter")
    steps([out], {"image": np.random.rand(2, 3, 8, 8).astype(F32)}, 1)
    tensor = fluid.global_scope().find_var("filter").get_tensor()
    assert tensor.shape() == [4, 3, 3, 3] and np.array(tensor).flags["C_CONTIGUOUS"]


def pooled(kind="max"):
    """A training with a rectifier before a pooling: its features and its loss."""
    features = fluid.layers.conv2d(fluid.data("image", [None, 1, 8, 8]), 3, 3, act="relu")
    loss = fluid.layers.mean(fluid.layers.square(fluid.layers.pool2d(features, 2, kind, 2)))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return features, loss


def rectifiers_and_poolings(fetch, **options):
    return [name for name in calls(fetch, **options) if name.startswith(("relu", "pool2d"))]


def test_a_rectifier_before_a_max_pooling_comes_after_it():
    _, loss = pooled()
    assert rectifiers_and_poolings([loss], optimize=False) == ["relu", "pool2d", "pool2d_grad", "relu_grad"]
    assert rectifiers_and_poolings([loss]) == ["pool2d", "relu_", "relu_grad", "pool2d_grad"]


def test_a_rectifier_stays_before_a_pooling_when_its_result_is_fetched():
    assert rectifiers_and_poolings(list(pooled())) == ["relu_", "pool2d", "pool2d_grad", "relu_grad"]


def test_a_rectifier_stays_before_a_pooling_that_takes_the_mean():
    _, loss = pooled("avg")
    assert rectifiers_and_poolings([loss]) == ["relu_", "pool2d", "pool2d_grad", "relu_grad"]


def test_rectified_pooling_trains_alike_in_both_orders():
    rng = np.random.RandomState(0)
    feed = {"image": rng.randn(4, 1, 8, 8).astype(F32)}
    found = []
    for fetched in (False, True):  # who fetches the features has them rectified first
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
            with fluid.scope_guard(fluid.Scope()):
                features, loss = pooled()
                fetch = [loss, "conv2d_0.w_0@GRAD", "conv2d_0.b_0@GRAD", *([features] if fetched else [])]
                found.append([run[:3] for run in steps(fetch, feed)])
    for one, other in zip(*found, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def regression(y_shape, axis=-1):
    """The loss of a regression, and the difference that it squares."""
    x = fluid.layers.fc(fluid.data("x", [None, 4]), 3, param_attr=fluid.initializer.Constant(0.5))
    difference = fluid.layers.elementwise_sub(x, fluid.data("y", y_shape), axis=axis)
    loss = fluid.layers.mean(fluid.layers.square(difference))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return difference, loss


def test_the_mean_of_squared_differences_is_one_call_and_its_gradient_another():
    difference, loss = regression([None, 3])
    assert [name for name in calls([loss]) if "square" in name or "sub" in name or "mean" in name] == [
        "mean_squares",
        "mean_squares_grad",
    ]
    assert "mean_squares" not in calls([loss, difference])
    assert "mean_squares" not in calls([loss, "square_0.tmp_0@GRAD"])
    assert "mean_squares" in fluid.default_main_program().clone(for_test=True).to_source(fetch_list=[loss])


@pytest.mark.parametrize("y_shape, axis", [([None, 3], -1), ([3], -1), ([None], 0)])
def test_mean_squares_train_alike_in_one_call_and_in_many(y_shape, axis):
    rng = np.random.RandomState(0)
    sizes = [5 if size is None else size for size in y_shape]
    feed = {"x": rng.randn(5, 4).astype(F32), "y": rng.randn(*sizes).astype(F32)}
    found = []
    for fetched in (False, True):  # who fetches the difference gets it computed
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
            with fluid.scope_guard(fluid.Scope()):
                difference, loss = regression(y_shape, axis)
                fetch = [loss, "fc_0.w_0@GRAD", "fc_0.b_0@GRAD", *([difference] if fetched else [])]
                found.append([run[:3] for run in steps(fetch, feed)])
    for one, other in zip(*found, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_mean_squares_refuse_what_a_difference_refuses():
    _, loss = regression([None, 3])
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    with pytest.raises(EnforceNotMet) as caught:
        exe.run(feed={"x": np.ones((4, 4), F32), "y": np.ones((2, 3), F32)}, fetch_list=[loss])
    assert str(caught.value).startswith("elementwise_sub: X of shape [4, 3] and Y of shape [2, 3] do not broadcast")


def test_gradients_of_pieces_are_added_where_they_arise():
    x = fluid.data("x", [4, 5, 3])
    x.stop_gradient = False
    weight = fluid.layers.create_parameter([3, 3], "float32", name="w")
    h = fluid.layers.fill_constant([4, 3], "float32", 0.5)
    for t in range(5):
        h = fluid.layers.tanh(fluid.layers.matmul(h, weight) + x[:, t])
    last = fluid.layers.reduce_sum(x[1:3, :, -1])
    (grad,) = fluid.gradients(fluid.layers.reduce_sum(h) + last, x)
    assert calls([grad], optimize=False).count("slice_grad") == 6
    made = calls([grad])
    assert made.count("slice_grad") == 1 and made.count("add_slice_grad") == 5 and "sum" not in made
    fluid.default_startup_program().random_seed = 1
    exe, feed = fluid.Executor(), {"x": np.random.RandomState(0).rand(4, 5, 3).astype(F32)}
    exe.run(fluid.default_startup_program())
    (found,) = exe.run(feed=feed, fetch_list=[grad])
    parts = [n for n in fluid.default_main_program().global_block().vars if n.startswith("x@GRAD@RENAME")]
    *each, total = exe.run(feed=feed, fetch_list=[*parts, grad])  # parts that are fetched are made one by one
    np.testing.assert_allclose(sum(each), total, rtol=1e-6)
    np.testing.assert_allclose(found, total, rtol=1e-6)


def test_the_softmax_of_a_large_vocabulary_takes_over_the_memory_of_its_logits():
    def model():
        x = fluid.data("x", [None, 4])
        logits = fluid.layers.fc(x, 9000)
        loss, softmax = fluid.layers.softmax_with_cross_entropy(
            logits, fluid.data("label", [None, 1], "int64"), return_softmax=True
        )
        return logits, loss, softmax

    logits, loss, softmax = model()
    fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(loss))
    assert "softmax_with_cross_entropy_" in calls([loss, softmax])
    assert "softmax_with_cross_entropy" in calls([loss, logits])
    rng = np.random.RandomState(0)
    feed = {"x": rng.rand(8, 4).astype(F32), "label": rng.randint(0, 9000, (8, 1))}
    for ours, plain in zip(steps([loss, softmax], feed), steps([loss, softmax, logits], feed), strict=True):
        np.testing.assert_allclose(ours[0], plain[0], rtol=1e-6)
        np.testing.assert_allclose(ours[1], plain[1], rtol=1e-6)


def test_poolings_that_write_one_variable_in_turn_have_each_its_own_argmax_indices():
    a, b = (fluid.data(name, [1, 1, 2, 2]) for name in "ab")
    a.stop_gradient = b.stop_gradient = False
    pooled = fluid.layers.pool2d(a, 2, "max", 2)
    first = fluid.layers.scale(pooled, 2.0)
    attrs = {"pooling_type": "max", "ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0]}
    block = fluid.default_main_program().global_block()
    block.append_op("pool2d", {"X": [b.name]}, {"Out": [pooled.name]}, attrs)
    loss = fluid.layers.reduce_sum(first + fluid.layers.scale(pooled, 3.0))
    grads = fluid.gradients(loss, [a, b])
    feed = {"a": np.float32([[[[4, 1], [2, 3]]]]), "b": np.float32([[[[1, 2], [3, 4]]]])}
    of_a, of_b = fluid.Executor().run(feed=feed, fetch_list=grads)
    assert of_a.tolist() == [[[[2, 0], [0, 0]]]] and of_b.tolist() == [[[[0, 0], [0, 3]]]]


def test_the_gradient_of_a_pooling_reads_the_argmax_indices_of_its_values_whatever_its_variables_are_called():
    a, b = (fluid.data(name, [1, 1, 2, 2]) for name in "ab")
    of_a, of_b = (fluid.layers.pool2d(var, 2, "max", 2) for var in (a, b))
    grad = fluid.data(of_a.name + "@GRAD", [1, 1, 1, 1])
    block = fluid.default_main_program().global_block()
    pool = next(op for op in block.ops if op.output("Out") == [of_b.name])
    result = block.create_var(name="result", shape=[1, 1, 2, 2], dtype=F32)
    block.append_op(
        "pool2d_grad", {"X": [b.name], "Out": [of_b.name], "Out@GRAD": [grad.name]}, {"X@GRAD": ["result"]}, pool.attrs
    )
    feed = {"a": np.float32([[[[4, 1], [2, 3]]]]), "b": np.float32([[[[1, 2], [3, 4]]]])}
    feed[grad.name] = np.float32([[[[5]]]])
    (value,) = fluid.Executor().run(feed=feed, fetch_list=[result])
    assert value.tolist() == [[[[0, 0], [0, 5]]]]
    assert "MaxIndices" in fluid.default_main_program().to_source(feed=[*feed], fetch_list=[result])
