"""Layers as objects: train and eval, shared parameters, copies, pickles, texts, hooks."""

import copy
import gc
import pickle

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph
X = np.random.RandomState(0).rand(8, 4).astype("float32")


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


class Net(D.Layer):
    def __init__(self):
        super().__init__()
        self.first = D.Linear(4, 4, act="relu")
        self.inner = D.Sequential(D.Dropout(0.5), D.BatchNorm(4))
        self.last = D.Linear(4, 1)

    def forward(self, x):
        self._seen = self.first(x)  # as the documents keep a variable for debugging
        return self.last(self.inner(self._seen))


def step(net, optimizer, x=X):
    loss = fluid.layers.reduce_mean(fluid.layers.square(net(D.to_variable(x)) - 1.0))
    loss.backward()
    optimizer.minimize(loss)
    net.clear_gradients()
    return float(loss)


def test_train_and_eval_reach_every_layer_below():
    net = Net()
    assert all(layer.training for layer in net.sublayers())
    net.eval()
    assert not net.training and not any(layer.training for layer in net.sublayers())
    net.train()
    assert net.training and all(layer.training for layer in net.sublayers())


def test_eval_is_the_same_every_time_and_moves_no_statistics():
    net = Net()
    step(net, fluid.optimizer.SGD(0.1, parameter_list=net.parameters()))
    net.eval()
    before = net.inner[1]._mean.numpy()
    one, other = net(D.to_variable(X)).numpy(), net(D.to_variable(X * 1.0)).numpy()
    assert (one == other).all() and (net.inner[1]._mean.numpy() == before).all()
    net.train()
    assert (net(D.to_variable(X)).numpy() != net(D.to_variable(X)).numpy()).any()
    assert (net.inner[1]._mean.numpy() != before).any()


def test_nothing_is_recorded_in_eval_mode():
    net = Net()
    net.eval()
    out = net(D.to_variable(X))
    assert out.stop_gradient and out._grad_node is None
    net.train()
    assert not net(D.to_variable(X)).stop_gradient


def test_dropout_in_eval_is_the_identity_or_a_factor():
    x = D.to_variable(X)
    for implementation, factor in (("downgrade_in_infer", 0.75), ("upscale_in_train", 1.0)):
        dropout = D.Dropout(0.25, dropout_implementation=implementation)
        dropout.eval()
        np.testing.assert_allclose(dropout(x).numpy(), X * factor, rtol=1e-6)
        dropout.train()


def test_is_test_holds_in_layers_of_1_5_and_train_and_eval_decide_in_those_of_1_7():
    x = D.to_variable(X)
    running = X / np.sqrt(1 + 1e-5)  # mean 0, variance 1
    assert not np.allclose(D.BatchNorm(4, is_test=True)(x).numpy(), running)
    assert (D.Dropout(1.0, is_test=True)(x).numpy() == 0).all()
    np.testing.assert_allclose(D.BatchNorm("bn", 4, is_test=True)(x).numpy(), running, rtol=1e-6)


class Tied(D.Layer):
    """Two layers with one weight."""

    def __init__(self):
        super().__init__()
        self.first = D.Linear(4, 4, bias_attr=False)
        self.second = D.Linear(4, 4, bias_attr=False)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(self.first(x))


def test_a_shared_parameter_is_one_parameter_and_updated_once():
    net = Tied()
    assert len(net.parameters()) == 1
    w = net.first.weight.numpy()
    loss = fluid.layers.reduce_sum(net(D.to_variable(X)))
    loss.backward()
    grad = net.first.weight.gradient()
    np.testing.assert_allclose(grad, X.T @ np.ones((8, 4)) @ w.T + (X @ w).T @ np.ones((8, 4)), rtol=1e-4)
    fluid.optimizer.SGD(0.1, parameter_list=net.parameters()).minimize(loss)
    np.testing.assert_allclose(net.first.weight.numpy(), w - 0.1 * grad, rtol=1e-5)
    assert net.second.weight is net.first.weight


def test_a_layer_in_two_places_is_one_layer():
    shared = D.Linear(4, 4)
    net = D.Sequential(shared, shared)
    assert len(net.parameters()) == 2 and len(net.sublayers()) == 1
    assert net(D.to_variable(X)).shape == [8, 4]


def test_a_state_lists_what_is_shared_under_all_its_names():
    tied, shared = Tied(), D.Linear(4, 4)
    tied.above = D.Sequential(tied, shared, shared)  # a layer may hold the one that holds it
    assert list(tied.state_dict()) == [
        "first.weight", "second.weight", "above.1.weight", "above.1.bias", "above.2.weight", "above.2.bias",
    ]  # fmt: skip
    assert list(shared.state_dict(structured_name_prefix="a.")) == ["a.weight", "a.bias"]
    assert list(shared.state_dict(structured_name_prefix="a")) == ["aweight", "abias"]
    values = {key: value.numpy() + 1 for key, value in tied.state_dict().items()}
    tied.set_dict(values)
    assert (tied.second.weight.numpy() == values["first.weight"]).all()


def test_what_is_replaced_keeps_its_place():
    net = Net()
    keys = list(net.state_dict())
    net.first, net.first.weight = D.Linear(4, 4), net.first.create_parameter([4, 4])
    assert list(net.state_dict()) == keys


def test_two_parameters_do_not_have_one_name():
    attr = fluid.ParamAttr(name="w")
    first = D.Linear(4, 4, param_attr=attr)
    with pytest.raises(EnforceNotMet, match="there is another parameter 'w'; give each a name of its own"):
        D.Linear(4, 4, param_attr=attr)
    with D.guard():
        assert D.Linear(4, 4, param_attr=attr).weight.name == first.weight.name
    del first
    gc.collect()
    assert D.Linear(4, 4, param_attr=attr).weight.name == "w"


def test_a_deep_copy_trains_on_its_own():
    net = Net()
    net(D.to_variable(X))
    other = copy.deepcopy(net)
    assert {key: value.numpy().tolist() for key, value in other.state_dict().items()} == {
        key: value.numpy().tolist() for key, value in net.state_dict().items()
    }
    names = [p.name for p in (*net.parameters(), *other.parameters())]
    assert len(set(names)) == len(names)
    before = net.first.weight.numpy()
    step(other, fluid.optimizer.Adam(0.1, parameter_list=other.parameters()))
    assert (net.first.weight.numpy() == before).all() and (other.first.weight.numpy() != before).any()


def test_a_deep_copy_keeps_what_is_shared_shared():
    net = copy.deepcopy(Tied())
    assert net.first.weight is net.second.weight


def test_every_layer_class_survives_pickle_and_deepcopy():
    from tests.models.oracle import source

    classes = source("layer_classes")
    for name, (make, _) in classes.CLASSES.items():
        layer = make()
        for again in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
            assert list(again.state_dict()) == list(layer.state_dict()), name
            for one, other in zip(again.state_dict().values(), layer.state_dict().values()):
                assert (one.numpy() == other.numpy()).all(), name


def test_a_pickled_layer_computes_the_same():
    net = Net()
    step(net, fluid.optimizer.SGD(0.1, parameter_list=net.parameters()))
    net.eval()
    again = pickle.loads(pickle.dumps(net))
    assert (again(D.to_variable(X)).numpy() == net(D.to_variable(X)).numpy()).all()
    assert [p.name for p in again.parameters()] == [p.name for p in net.parameters()]
    net.train()


def test_its_text_is_the_tree_of_layers():
    assert repr(Tied()).split("\n") == [
        "Tied tied_0",
        "  first: Linear linear_0",
        "    weight: linear_0.w_0 [4, 4]",
        "  second: Linear linear_1",
        "    weight: linear_0.w_0 [4, 4]",
    ]


def test_hooks_change_inputs_and_outputs_until_they_are_removed():
    linear = D.Linear(4, 2)
    x = D.to_variable(X)
    plain = linear(x).numpy()
    before = linear.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 0.0,))
    assert np.allclose(linear(x).numpy(), linear.bias.numpy())
    before.remove()
    after = linear.register_forward_post_hook(lambda layer, inputs, outputs: outputs * 2.0)
    assert np.allclose(linear(x).numpy(), 2 * plain)
    after.remove()
    assert np.allclose(linear(x).numpy(), plain)


def test_create_parameter_in_the_order_of_either_age():
    class Old(D.Layer):
        def __init__(self, scope):
            super().__init__(scope)
            self.w = self.create_parameter(fluid.ParamAttr(name="w_old"), [2, 3], "float32")
            self.b = self.create_parameter(attr=None, shape=[3], dtype="float32", is_bias=True)
            self.n = self.create_parameter([3, 1], fluid.ParamAttr(name="w_new"))

    layer = Old("old")
    assert layer.w.shape == [2, 3] and layer.w.name == "w_old"
    assert layer.b.shape == [3] and layer.n.shape == [3, 1] and layer.n.name == "w_new"


def test_create_variable_is_named_after_the_layer_and_can_be_written_to():
    layer = D.Linear(2, 2)
    made = layer.create_variable("extra", persistable=True, dtype="float32")
    assert made.name == "linear_0.extra" and made.persistable
    fluid.layers.assign(np.ones(3, "float32"), made)
    assert made.numpy().tolist() == [1, 1, 1]


def test_buffers_are_part_of_the_state_but_not_trained():
    layer = D.Linear(2, 2)
    layer.register_buffer("count", D.to_variable(np.zeros(1, "float32")))
    assert list(layer.state_dict()) == ["weight", "bias", "count"] and len(layer.parameters()) == 2
    layer.set_dict({**layer.state_dict(), "count": np.ones(1, "float32")})
    assert layer.count.numpy().tolist() == [1]


@pytest.mark.parametrize("load", ["set_dict", "load_dict"])
def test_of_a_dictionary_keyed_by_parameter_names_a_part_is_enough(load):
    """As 1.4 and 1.5 have it; layers that build late take their part at the first call."""
    with D.guard():
        early, late = D.Linear(2, 2), D.FC("fc", 2)
        late_copy = D.FC("fc", 2)
        before = early.bias.numpy()
        getattr(early, load)({early.weight.name: np.ones((2, 2), "float32")})
        assert (early.weight.numpy() == 1).all() and np.array_equal(early.bias.numpy(), before)
        x = D.to_variable(np.ones((1, 2), "float32"))
        late_copy(x)
        name = late_copy.weight.name.replace("FC_1", "FC_0")
        getattr(late, load)({name: np.full((2, 2), 3, "float32")})
        late(x)
        assert late.weight.name == name and (late.weight.numpy() == 3).all() and not late.bias.numpy().any()
        with pytest.raises(EnforceNotMet, match="1 of 2 entries"):
            early.set_dict({"weight": np.ones((2, 2), "float32")})
