"""Layer classes made with wrong arguments, and with numbers of numpy, which are right."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle import nn
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph


def var(*shape, dtype="float32"):
    return D.to_variable(np.ones(shape, dtype))


WRONG = [
    (lambda: D.Linear("4", 3), "Linear: input_dim must be a positive int, got '4'"),
    (lambda: D.Linear(4, -3), "Linear: output_dim must be a positive int, got -3"),
    (lambda: D.Linear(4, 3, param_attr=False), "Linear: param_attr must not be False"),
    (lambda: D.Linear(4, 3, param_attr=3), "param_attr must be a ParamAttr"),
    (lambda: D.Linear(4, 3, dtype="int64"), "dtype must be floating point, got int64"),
    (lambda: D.FC("fc", 0), "FC: size must be a positive int, got 0"),
    (lambda: D.FC("fc", 3, param_attr=[None, None])(var(2, 4)), "FC: 1 inputs, but 2 param_attr"),
    (lambda: D.FC("fc", 3)([var(2, 4), 3]), "FC: input must be a Variable, got int"),
    (lambda: D.Conv2D(3, 4, 0), "Conv2D: filter_size must be a positive int, got 0"),
    (lambda: D.Conv2D(3, 4, "3"), "Conv2D: filter_size must be a positive int, got '3'"),
    (lambda: D.Conv2D(3, 4, 3.0), "Conv2D: filter_size must be a positive int, got 3.0"),
    (lambda: D.Conv2D(3, 4, [3, 3, 3]), "Conv2D: filter_size must be one int or a list of 2, got [3, 3, 3]"),
    (lambda: D.Conv3D(3, 4, [3, 3]), "Conv3D: filter_size must be one int or a list of 3"),
    (lambda: nn.Conv2DTranspose(3, 4, [3]), "Conv2DTranspose: filter_size must be one int or a list of 2"),
    (lambda: D.Conv2D(num_channels="3", num_filters=4, filter_size=3), "Conv2D: num_channels must be a positive int"),
    (lambda: D.Conv2DTranspose(3, 4, 3, output_size="a")(var(1, 3, 8, 8)), "output_size must be a list, each an int"),
    (lambda: D.Conv2DTranspose(3, 4, 3, stride=0)(var(1, 3, 8, 8)), "strides and dilations must be positive"),
    (lambda: D.BatchNorm(None), "BatchNorm: num_channels must be a positive int, got None"),
    (lambda: D.BatchNorm("scope", "b"), "BatchNorm: num_channels must be a positive int, got 'b'"),
    (lambda: D.BatchNorm(3, epsilon="a")(var(1, 3, 2, 2)), "batch_norm: epsilon must be a number, got 'a'"),
    (lambda: D.LayerNorm(4.0), "LayerNorm: normalized_shape must be a positive int, got 4.0"),
    (lambda: D.GroupNorm(4, 0), "GroupNorm: groups must be a positive int, got 0"),
    (lambda: D.InstanceNorm("3"), "InstanceNorm: num_channels must be a positive int, got '3'"),
    (lambda: D.SpectralNorm(4), "SpectralNorm: weight_shape must be a list of ints, got 4"),
    (lambda: D.SpectralNorm([4]), "SpectralNorm: the weight must have 2 axes or more, got [4]"),
    (lambda: D.Embedding([5.0, 2]), "Embedding: size must be a positive int, got 5.0"),
    (lambda: D.Dropout("a"), "Dropout: p must be a number in [0, 1], got 'a'"),
    (lambda: D.Dropout(0.5, dropout_implementation="x"), "Dropout: dropout_implementation must be"),
    (lambda: D.GRUUnit(10), "GRUUnit: size must be three times"),
    (lambda: D.NCE(9, 4, num_neg_samples=-1)(var(2, 4), var(2, 1, dtype="int64")), "num_neg_samples must be 0 or more"),
    (lambda: nn.HSigmoid("a", 4), "HSigmoid: feature_size must be a positive int, got 'a'"),
    (lambda: nn.LogSoftmax(axis="a")(var(2, 4)), "log_softmax: axis must be an int, got 'a'"),
    (lambda: D.Sequential([D.Linear(2, 2)]), "add_sublayer: '0' must be a Layer, got list"),
    (lambda: D.LayerList(D.Linear(2, 2)), "LayerList: expected a list of layers, got Linear"),
    (lambda: D.Layer().register_forward_pre_hook(None), "a hook must be a function, got NoneType"),
    (lambda: D.Layer().create_parameter(3), "create_parameter: shape must be a list of ints, got 3"),
    (lambda: D.Layer().create_parameter([2.5]), "create_parameter: shape must be a list of ints, got [2.5]"),
    (lambda: fluid.ParamAttr(initializer="xavier"), "initializer must be an object of fluid.initializer, got str"),
    (lambda: fluid.ParamAttr(initializer=fluid.initializer.Xavier), "got the class XavierInitializer; call it"),
    (lambda: fluid.ParamAttr(learning_rate="a"), "ParamAttr: learning_rate must be a number, got 'a'"),
    (lambda: fluid.ParamAttr(regularizer="l2"), "ParamAttr: regularizer must be an L1Decay or L2Decay, got str"),
]


@pytest.mark.parametrize("make, says", WRONG, ids=[says[:40] for _, says in WRONG])
def test_a_wrong_argument_is_named(make, says):
    with D.guard(), pytest.raises(EnforceNotMet) as caught:
        make()
    assert says in str(caught.value)


def test_sizes_may_be_numbers_of_numpy():
    n = np.int64
    with D.guard():
        assert D.Linear(np.prod([2, 2]), n(3))(var(2, 4)).shape == [2, 3]
        assert D.Conv2D(n(3), n(4), n(3))(var(1, 3, 5, 5)).shape == [1, 4, 3, 3]
        assert D.LayerNorm(n(4))(var(2, 4)).shape == [2, 4]
        assert D.Embedding([n(5), n(2)])(var(3, dtype="int64")).shape == [3, 2]
        assert fluid.layers.fc(var(2, 4), n(3)).shape == [2, 3]
        assert fluid.layers.pow(var(2), np.float32(2)).shape == [2]
        assert fluid.layers.dropout(var(2), np.float32(0.5)).shape == [2]
        assert fluid.layers.hsigmoid(var(2, 4), var(2, 1, dtype="int64"), n(5)).shape == [2, 1]
    x = fluid.data("x", [2, 4])
    assert fluid.layers.fc(x, np.int32(3)).shape == (2, 3)


def test_a_list_of_layers_is_as_before_after_a_wrong_insert():
    with D.guard():
        layers = D.LayerList([D.Linear(2, 2), D.Linear(2, 3)])
        for change in (lambda: layers.insert(0, 3), lambda: layers.extend([D.Linear(1, 1), 3])):
            with pytest.raises(EnforceNotMet, match="must be a Layer, got int"):
                change()
        with pytest.raises(EnforceNotMet, match="must be a Layer, got int"):
            layers[1] = 3
        assert [layer.weight.shape for layer in layers] == [[2, 2], [2, 3]]


def test_fc_called_with_more_inputs_than_it_was_built_for():
    with D.guard():
        fc = D.FC("fc", 3)
        fc(var(2, 4))
        with pytest.raises(EnforceNotMet, match="FC: the first call had 1 inputs, this one has 2"):
            fc([var(2, 4), var(2, 4)])


def test_an_attribute_of_the_wrong_type_is_named_while_a_program_is_built():
    x = fluid.data("x", [None, 4])
    with pytest.raises(EnforceNotMet, match="softmax: axis must be an int, got 'a'"):
        fluid.layers.softmax(x, axis="a")
