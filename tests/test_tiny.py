"""The outside of the whole product in a few seconds: both modes, LoD, saving nothing. Run it after every change."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.dygraph import Conv2D, Linear, Pool2D

RNG = np.random.RandomState(0)
IMAGES, LABELS = RNG.rand(8, 1, 8, 8).astype("float32"), RNG.randint(0, 4, (8, 1)).astype("int64")


def run(program, feed, fetches, **options):
    return fluid.Executor(fluid.CPUPlace()).run(program, feed=feed, fetch_list=fetches, **options)


def start():
    run(fluid.default_startup_program(), {}, [])


# -- the static mode --------------------------------------------------------------------------------------------


def digits_program():
    """A small convolutional classifier: image, label -> loss, accuracy."""
    image = fluid.data("image", [None, 1, 8, 8])
    label = fluid.data("label", [None, 1], "int64")
    hidden = fluid.nets.simple_img_conv_pool(image, 4, 3, pool_size=2, pool_stride=2, act="relu")
    guess = fluid.layers.fc(fluid.layers.dropout(hidden, 0.1), size=4, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))
    return guess, loss, fluid.layers.accuracy(guess, label)


def test_a_program_trains_and_its_clone_predicts():
    guess, loss, _ = digits_program()
    main = fluid.default_main_program()
    test = main.clone(for_test=True)
    fluid.optimizer.Adam(0.01).minimize(loss)
    start()
    feed = {"image": IMAGES, "label": LABELS}
    losses = [run(main, feed, [loss])[0][0] for _ in range(30)]
    assert losses[-1] < 0.7 * losses[0]
    first, second = run(test, feed, [guess])[0], run(test, feed, [guess])[0]
    assert np.array_equal(first, second) and np.allclose(first.sum(1), 1)  # no dropout now


def test_linear_regression_finds_the_line():
    x, y = fluid.layers.data("x", [1]), fluid.layers.data("y", [1])
    guess = fluid.layers.fc(x, size=1, param_attr="slope", bias_attr="offset")
    loss = fluid.layers.mean(fluid.layers.square_error_cost(guess, y))
    fluid.optimizer.SGD(0.1).minimize(loss)
    start()
    points = np.linspace(-1, 1, 16, dtype="float32")[:, None]
    for _ in range(200):
        run(fluid.default_main_program(), {"x": points, "y": 3 * points + 2}, [loss])
    slope, offset = (np.array(fluid.global_scope().find_var(n).get_tensor()).item() for n in ("slope", "offset"))
    assert slope == pytest.approx(3, abs=1e-3) and offset == pytest.approx(2, abs=1e-3)


def test_a_program_can_be_read():
    digits_program()
    program = fluid.default_main_program()
    assert [op.type for op in program.global_block().ops][:4] == ["conv2d", "elementwise_add", "relu", "pool2d"]
    assert [p.name for p in program.all_parameters()] == ["conv2d_0.w_0", "conv2d_0.b_0", "fc_0.w_0", "fc_0.b_0"]
    assert "conv2d" in str(program) and "def run(" in program.to_source()


def test_gradients_of_gradients():
    x = fluid.data("x", [1])
    x.stop_gradient = False
    (first,) = fluid.gradients(x * x * x, x)
    (second,) = fluid.gradients(first, x)
    found = run(fluid.default_main_program(), {"x": np.array([2.0], "float32")}, [first, second])
    assert [value.item() for value in found] == [12.0, 12.0]


def test_a_learning_rate_that_follows_a_schedule():
    x = fluid.data("x", [None, 1])
    loss = fluid.layers.mean(fluid.layers.fc(x, 1))
    rate = fluid.layers.piecewise_decay([2, 4], [0.1, 0.01, 0.001])
    fluid.optimizer.SGD(rate).minimize(loss)
    start()
    feed = {"x": np.ones((2, 1), "float32")}
    seen = [run(fluid.default_main_program(), feed, [rate])[0].item() for _ in range(5)]
    assert seen == pytest.approx([0.1, 0.1, 0.01, 0.01, 0.001])


# -- sequences --------------------------------------------------------------------------------------------------


def test_sequences_of_different_lengths_go_through_without_padding():
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    vectors = fluid.layers.embedding(words, size=[10, 3], is_sparse=True)
    total = fluid.layers.sequence_pool(vectors, "sum")
    loss = fluid.layers.mean(fluid.layers.fc(total, 1))
    fluid.optimizer.SGD(0.1).minimize(loss)
    start()
    for lengths in ([2, 3], [1, 1, 4]):
        ids = fluid.create_lod_tensor(np.arange(sum(lengths)).reshape(-1, 1), [lengths], fluid.CPUPlace())
        table = np.array(fluid.global_scope().find_var("embedding_0.w_0").get_tensor())
        rows, sums = run(fluid.default_main_program(), {"words": ids}, [vectors, total], return_numpy=False)
        assert rows.recursive_sequence_lengths() == [lengths] and np.array(sums).shape == (len(lengths), 3)
        np.testing.assert_allclose(np.array(sums)[0], table[: lengths[0]].sum(0), rtol=1e-5)


# -- the imperative mode ----------------------------------------------------------------------------------------


class Digits(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.conv = Conv2D(1, 4, 3, act="relu")
        self.pool = Pool2D(2, "max", 2)
        self.out = Linear(36, 4, act="softmax")

    def forward(self, image):
        return self.out(fluid.layers.reshape(self.pool(self.conv(image)), [-1, 36]))


def test_a_layer_trains():
    with fluid.dygraph.guard():
        model = Digits()
        adam = fluid.optimizer.Adam(0.01, parameter_list=model.parameters())
        losses = []
        for _ in range(30):
            guess = model(fluid.dygraph.to_variable(IMAGES))
            loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, fluid.dygraph.to_variable(LABELS)))
            loss.backward()
            adam.minimize(loss)
            model.clear_gradients()
            losses.append(float(loss))
        assert losses[-1] < 0.7 * losses[0]
        assert sorted(model.state_dict()) == ["conv.bias", "conv.weight", "out.bias", "out.weight"]


def test_gradients_of_plain_arithmetic():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))
        x.stop_gradient = False
        y = (x * x + 2.0) / 2.0 - x[0]
        fluid.layers.reduce_sum(y).backward()
        assert x.gradient().tolist() == [[-1.0, 0.0], [3.0, 4.0]]


# -- mistakes ---------------------------------------------------------------------------------------------------


def test_a_mistake_is_told_with_its_operator_shapes_and_line():
    x = fluid.data("x", [None, 6])
    with pytest.raises(fluid.core.EnforceNotMet) as caught:
        fluid.layers.mul(x, fluid.layers.zeros([5, 2], "float32"))
    lines = str(caught.value).splitlines()
    assert lines[0] == "mul: X flattened from axis 1 has 6 columns, but Y has 5 rows"
    assert lines[1].split() == ["X", "x", "float32", "[-1,", "6]"]
    assert "tests/test_tiny.py" in lines[-1] and "fluid.layers.mul(x" in lines[-1]


def test_a_missing_feed_is_named():
    digits_program()
    start()
    with pytest.raises(fluid.core.EnforceNotMet, match="feed: 'label' is missing"):
        run(fluid.default_main_program(), {"image": IMAGES}, ["mean_0.tmp_0"])
