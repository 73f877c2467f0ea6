"""What a wrong use of a layer is told, word for word."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D = fluid.dygraph


def var(*shape, dtype="float32"):
    return D.to_variable(np.ones(shape, dtype))


def refused(function, *says):
    with pytest.raises(EnforceNotMet) as caught:
        function()
    text = str(caught.value)
    for part in says:
        assert part in text, text
    return caught.value


@pytest.fixture
def imperative():
    with D.guard():
        yield


def test_too_few_and_too_many_inputs(imperative):
    linear = D.Linear(4, 2)
    error = refused(linear, "Linear: forward takes (input), but the layer was called with ()")
    assert isinstance(error, TypeError)  # what Python itself would raise
    refused(
        lambda: linear(var(1, 4), var(1, 4)),
        "Linear: forward takes (input), but the layer was called with (VarBase, VarBase): too many positional",
    )
    linear(var(1, 4))
    refused(lambda: linear(var(1, 4), hidden=1), "got an unexpected keyword argument 'hidden'")


def test_a_mistake_inside_forward_stays_as_it_is(imperative):
    class Net(D.Layer):
        def forward(self, x):
            return len(3)

    with pytest.raises(TypeError, match="has no len"):
        Net()(var(1))


def test_the_wrong_rank(imperative):
    refused(lambda: D.Conv2D(3, 4, 3)(var(2, 3)), "conv2d: ", "[2, 3]")
    refused(lambda: D.Conv3D(3, 4, 3)(var(1, 3, 8, 8)), "conv3d: ", "[1, 3, 8, 8]")
    refused(lambda: D.Conv2DTranspose(3, 4, 3)(var(3)), "conv2d_transpose: ", "[3]")
    refused(lambda: D.Conv2D("c", 4, 3)(var(3)), "Conv2D: the input must be [N, C, ...], got [3]")
    refused(lambda: D.GRUUnit(9)(var(2, 8), var(2, 3)), "gru_unit: HiddenPrev has 3 columns, so Input must have 9")


def test_the_wrong_dtype(imperative):
    refused(lambda: D.Linear(4, 2)(var(1, 4, dtype="int64")), "fc: Input must be floating point, got int64")
    refused(lambda: D.Conv2D(3, 4, 3)(var(1, 3, 5, 5, dtype="int32")), "conv2d: ", "int32")
    refused(lambda: D.Embedding([5, 2])(var(3)), "lookup_table_v2: ", "float32")


def test_a_parameter_assigned_something_else(imperative):
    linear = D.Linear(4, 2)
    refused(lambda: setattr(linear, "weight", np.ones((4, 2))), "Linear.weight is a parameter", "got ndarray")
    refused(lambda: setattr(linear, "weight", D.Linear(1, 1)), "Linear.weight is a parameter", "got Linear")
    net = D.Sequential(("inner", linear))
    refused(lambda: setattr(net, "inner", 3), "Sequential.inner is a sublayer", "got int")
    refused(lambda: linear.add_parameter("w", 3), "add_parameter: 'w' must be a parameter, got int")
    refused(lambda: linear.add_sublayer("w", 3), "add_sublayer: 'w' must be a Layer, got int")
    assert linear.weight.shape == [4, 2]


def test_a_state_that_is_missing_extra_and_misshapen_is_told_in_one_message(imperative):
    net = D.Sequential(D.Linear(4, 2), D.Linear(2, 1))
    before = net[0].bias.numpy()
    given = {
        "0.weight": np.zeros((3, 2), "float32"),
        "0.bias": np.ones(2, "float32"),
        "2.weight": np.zeros(1, "float32"),
    }
    refused(
        lambda: net.set_dict({**given, "1.weight": np.zeros((2, 1), "float32")}),
        "set_dict: 2 of 4 entries do not match sequential_0; nothing was loaded",
        "has the shape [3, 2], the layer's is [4, 2]",
        "1.bias",
        "is missing",
        "2.weight",
        "is not in the layer",
    )
    assert (net[0].bias.numpy() == before).all()


def test_an_entry_too_much_is_a_warning_where_all_else_fits(imperative):
    linear = D.Linear(2, 1)
    given = {"weight": np.zeros((2, 1), "float32"), "bias": np.zeros(1, "float32"), "more": np.zeros(1, "float32")}
    with pytest.warns(UserWarning, match="the layer has no use for more"):
        linear.set_dict(given)
    assert not linear.weight.numpy().any()


def test_a_layer_that_forgot_super_init(imperative):
    class Forgetful(D.Layer):
        def __init__(self):
            self.size = 3

        def forward(self, x):
            return x

    net = Forgetful()
    words = "Forgetful was not initialised: its __init__ must call super(Forgetful, self).__init__() first"
    refused(lambda: net(var(1)), words)
    refused(net.parameters, words)
    refused(net.state_dict, words)
    assert repr(net) == "<Forgetful, not initialised>"


def test_variables_of_one_mode_in_the_other():
    with D.guard():
        imperative_x, linear = var(1, 4), D.Linear(4, 2)
    static_x = fluid.data("x", [None, 4])
    refused(lambda: fluid.layers.relu(imperative_x), "relu: X", "imperative")
    refused(lambda: linear(static_x), "imperative")
    with D.guard():
        refused(lambda: linear(static_x), "x, a variable of a static program, but the imperative mode is on")


def test_missing_and_unknown_arguments_of_a_class(imperative):
    with pytest.raises(
        TypeError, match=r"Conv3D: missing a required argument: 'filter_size'; it takes \(num_channels,"
    ):
        D.Conv3D(3, 4)
    with pytest.raises(
        TypeError, match=r"GroupNorm: got an unexpected keyword argument 'group'; it takes \(channels, groups,"
    ):
        D.GroupNorm(4, 2, group=2)
    refused(lambda: D.Conv2D(3, 4, 3, groups=2), "Conv2D: groups=2 must divide the 3 channels and 4 filters")
    refused(lambda: D.GRUUnit(10), "GRUUnit: size must be three times the width of the hidden state, got 10")
    refused(lambda: D.L1Loss("average"), "L1Loss: reduction must be 'mean', 'sum' or 'none', got 'average'")
    refused(lambda: D.Linear(0, 2), "Linear: input_dim must be a positive int, got 0")


@pytest.mark.parametrize(
    "wrong", [None, [1.0, 2.0], 3, np.ones((2, 3), "float32")], ids=["None", "list", "int", "array"]
)
@pytest.mark.parametrize("make", ["Linear", "LayerNorm"])
def test_what_is_no_variable_is_named(make, wrong):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2) if make == "Linear" else fluid.dygraph.LayerNorm(3)
        with pytest.raises(fluid.core.EnforceNotMet, match=f"must be a Variable, got {type(wrong).__name__}"):
            layer(wrong)


@pytest.mark.parametrize("function", ["flatten", "batch_norm", "layer_norm", "concat", "stack", "sum"])
def test_functions_name_what_is_no_variable(function):
    with fluid.dygraph.guard(), pytest.raises(fluid.core.EnforceNotMet, match="must be a Variable, got NoneType"):
        getattr(fluid.layers, function)(None)


def test_a_layer_that_makes_its_parts_before_super_init(imperative):
    class Makes(D.Layer):
        def __init__(self, part):
            part(self)

    words = "Makes was not initialised: its __init__ must call super(Makes, self).__init__() first"
    for part in (
        lambda self: self.create_parameter([2]),
        lambda self: self.add_sublayer("a", D.Linear(2, 2)),
        lambda self: self.add_parameter("a", None),
        lambda self: self.register_buffer("a", var(2)),
        lambda self: self.register_forward_pre_hook(print),
        lambda self: self.full_name(),
    ):
        refused(lambda part=part: Makes(part), words)


def test_a_layer_of_1_5_that_was_loaded_wrongly_refuses_until_it_is_loaded_rightly(imperative):
    layer = D.FC("fc", 3)
    layer.set_dict({"_w0": np.zeros((5, 3), "float32"), "_b": np.ones(3, "float32")})
    for _ in range(2):
        refused(
            lambda: layer(var(2, 4)), "which has been built by its first input",
            "has the shape [5, 3], the layer's is [4, 3]",
        )  # fmt: skip
        assert not layer.bias.numpy().any()  # nothing is half-loaded
    layer.set_dict({"_w0": np.zeros((4, 3), "float32"), "_b": np.ones(3, "float32")})
    assert (layer(var(2, 4)).numpy() == 1).all()
    assert [p.name for p in layer.parameters()] == ["fc/FC_0.w_0", "fc/FC_0.b_0"]


def test_what_was_loaded_before_the_first_call_is_there_after_it(imperative):
    layer = D.FC("fc", 3)
    layer.set_dict({"_w0": np.zeros((4, 3), "float32"), "_b": np.ones(3, "float32")})
    assert (layer(var(2, 4)).numpy() == 1).all()
