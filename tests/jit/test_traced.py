"""TracedLayer: a layer's run as a program."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import BatchNorm, Conv2D, Dropout, Embedding, Layer, Linear, TracedLayer, to_variable
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.eager.base import tape
from refluid.eager.tape import Tape
from refluid.eager.variable import VarBase
from refluid.jit.errors import TranslationError


class Net(Layer):
    def __init__(self):
        super().__init__()
        self.conv = Conv2D(1, 2, 3, act="relu")
        self.norm = BatchNorm(2)
        self.drop = Dropout(0.4)
        self.fc = Linear(2 * 4 * 4, 3, act="softmax")
        self.names = Embedding([5, 3])

    def forward(self, image, ids):
        h = self.drop(self.norm(self.conv(image)))
        scale = layers.reduce_sum(self.fc.bias) + 2.0
        if float(scale) > 1000:  # of parameters alone: a value of Python
            h = h * 0
        out = self.fc(layers.reshape(h, [-1, 2 * 4 * 4])) * scale
        return out, [self.names(ids), layers.reduce_mean(out.detach() * layers.ones([1], "float32"))]


def inputs(n=2):
    random = np.random.RandomState(n)
    return random.rand(n, 1, 6, 6).astype("float32"), random.randint(0, 5, (n, 1)).astype("int64")


def traced():
    net = Net()
    net.eval()
    given = [to_variable(a) for a in inputs()]
    outputs, layer = TracedLayer.trace(net, given)
    return net, given, outputs, layer


def test_a_trace_gives_the_outputs_and_a_program_that_gives_them_again():
    with fluid.dygraph.guard():
        _, given, outputs, layer = traced()
        assert type(outputs[0]) is VarBase and type(given[0]) is VarBase
        again = layer(given)
        assert len(again) == 3 and all(isinstance(one, np.ndarray) for one in again)
        for a, b in zip([outputs[0], *outputs[1]], again, strict=True):
            np.testing.assert_allclose(b, a.numpy(), rtol=1e-6)
        assert [op.type for op in layer.program.global_block().ops][:4] == [
            "conv2d", "elementwise_add", "relu", "batch_norm",
        ]  # fmt: skip
        np.testing.assert_array_equal(layer([a.numpy() for a in given])[0], again[0])
    np.testing.assert_array_equal(layer([a.numpy() for a in given])[0], again[0])  # and outside the imperative mode


def test_the_program_takes_other_batch_sizes():
    with fluid.dygraph.guard():
        net, _, _, layer = traced()
        other = [to_variable(a) for a in inputs(5)]
        np.testing.assert_allclose(layer(other)[0], net(*other)[0].numpy(), rtol=1e-6)


def test_the_program_sees_later_changes_of_the_parameters():
    with fluid.dygraph.guard():
        net, given, _, layer = traced()
        net.fc.bias.set_value(np.array([1.0, 5.0, 2.0], "float32"))
        np.testing.assert_allclose(layer(given)[0], net(*given)[0].numpy(), rtol=1e-6)


def test_the_imperative_mode_is_as_before_after_a_trace():
    with fluid.dygraph.guard():
        net, given, outputs, _ = traced()
        assert type(tape()) is Tape
        float(outputs[1][1])
        net.train()
        loss = layers.mean(net(*given)[0])
        loss.backward()
        assert net.fc.weight.gradient() is not None


def test_strategies_are_taken_and_checked():
    with fluid.dygraph.guard():
        _, given, outputs, layer = traced()
        layer.set_strategy(fluid.BuildStrategy(), fluid.ExecutionStrategy())
        np.testing.assert_allclose(layer(given)[0], outputs[0].numpy(), rtol=1e-6)
        with pytest.raises(ArgumentError, match="build_strategy must be a fluid.BuildStrategy, got int"):
            layer.set_strategy(1)
        with pytest.raises(ArgumentError, match="exec_strategy must be a fluid.ExecutionStrategy, got str"):
            layer.set_strategy(exec_strategy="fast")


def test_a_saved_trace_is_an_inference_model(tmp_path):
    with fluid.dygraph.guard():
        _, _, outputs, layer = traced()
        layer.save_inference_model(str(tmp_path), feed=[0], fetch=[0])
        with pytest.raises(ArgumentError, match="feed has 5, but there are 2"):
            layer.save_inference_model(str(tmp_path / "bad"), feed=[5])
        expected = outputs[0].numpy()
        # Static calls work while the imperative mode is on.
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        (found,) = exe.run(program, feed={feeds[0]: inputs()[0]}, fetch_list=fetches)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_constructor_is_refused():
    with pytest.raises(EnforceNotMet, match="use `outputs, traced = TracedLayer.trace"):
        TracedLayer(None, None, None, None)


class Decides(Layer):
    def __init__(self, how):
        super().__init__()
        self.how = how

    def forward(self, x):
        return x if self.how(layers.mean(x)) else x + 1


@pytest.mark.parametrize("how", [
    bool, float, int, lambda v: v.numpy()[0] > 0, lambda v: v > 0, lambda v: [0, 1][v], np.asarray,
], ids=["bool", "float", "int", "numpy", "comparison", "index", "array"])  # fmt: skip
def test_python_that_asks_for_a_value_of_the_inputs_is_refused(how):
    with fluid.dygraph.guard():
        x = to_variable(np.ones([2], "float32"))
        with pytest.raises(TranslationError, match="decorate forward with @declarative"):
            TracedLayer.trace(Decides(how), [x])
        assert type(x) is VarBase and bool(layers.mean(x) > 0)


def test_wrong_arguments_are_refused():
    with fluid.dygraph.guard():
        fc = Linear(2, 2)
        x = to_variable(np.ones([1, 2], "float32"))
        with pytest.raises(ArgumentError, match="layer must be a fluid.dygraph.Layer, got function"):
            TracedLayer.trace(test_wrong_arguments_are_refused, [x])
        with pytest.raises(ArgumentError, match="inputs must be a list of variables, it holds str"):
            TracedLayer.trace(fc, ["x"])
        _, layer = TracedLayer.trace(fc, [x])
        with pytest.raises(ArgumentError, match="was traced with 1 inputs, got 2"):
            layer([x, x])
        with pytest.raises(ArgumentError, match="inputs must be a list, got VarBase"):
            layer(x)
    with pytest.raises(EnforceNotMet, match="inside fluid.dygraph.guard"):
        TracedLayer.trace(fc, [x])


def test_an_input_that_a_fetch_needs_must_be_fed_and_each_is_named_once(tmp_path):
    with fluid.dygraph.guard():
        layer = TracedLayer.trace(Sums(), [to_variable(np.ones([2, 2], "float32")) for _ in range(2)])[1]
        with pytest.raises(ArgumentError, match="computed from input 1 .feed_1.; add 1 to feed"):
            layer.save_inference_model(str(tmp_path), feed=[0], fetch=[0])
        layer.save_inference_model(str(tmp_path), feed=[0], fetch=[1])
        with pytest.raises(ArgumentError, match="fetch must name each once"):
            layer.save_inference_model(str(tmp_path), fetch=[1, 1])
        with pytest.raises(ArgumentError, match="feed must be a list of ints"):
            layer.save_inference_model(str(tmp_path), feed=[True])


class Sums(fluid.dygraph.Layer):
    def forward(self, x, y):
        return x + y, x * 2


class Decorated(fluid.dygraph.Layer):
    @fluid.dygraph.declarative
    def forward(self, x):
        if len(x.shape) == 2:
            x = x * 3
        if self.training and fluid.layers.mean(x) > 0:
            x = x + 1
        return x


def test_a_declarative_layer_is_traced_as_plain_python():
    with fluid.dygraph.guard():
        net, x = Decorated(), to_variable(np.ones([2, 2], "float32"))
        with pytest.raises(TranslationError, match="Python asks for the value of") as found:
            TracedLayer.trace(net, [x])
        assert "test_traced.py" in str(found.value) and "if self.training and" in str(found.value)
        net.eval()
        out, layer = TracedLayer.trace(net, [x])
        np.testing.assert_array_equal(layer([x])[0], out.numpy())
        assert fluid.dygraph.ProgramTranslator().enable_declarative
