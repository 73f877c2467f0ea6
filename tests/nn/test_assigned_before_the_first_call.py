"""A weight that is assigned before the first call is the one that is used, in every layer and spelling."""

import numpy as np
import pytest

import paddle.fluid as fluid

D = fluid.dygraph
L = fluid.layers


@pytest.fixture(autouse=True)
def imperative():
    with D.guard():
        yield


def full(*shape, of=0.5):
    return D.to_variable(np.full(shape, of, "float32"))


IMAGES, VOLUMES, ROWS = (2, 3, 6, 6), (1, 3, 4, 4, 4), (2, 4)
LATE = {
    "FC": (lambda: D.FC("l", 3), [4, 3], lambda: [full(*ROWS)]),
    "Conv2D": (lambda: D.Conv2D("l", 4, 3), [4, 3, 3, 3], lambda: [full(*IMAGES)]),
    "Conv3D": (lambda: D.Conv3D("l", 4, 3), [4, 3, 3, 3, 3], lambda: [full(*VOLUMES)]),
    "Conv2DTranspose": (lambda: D.Conv2DTranspose("l", 4, filter_size=3), [3, 4, 3, 3], lambda: [full(*IMAGES)]),
    "Conv3DTranspose": (lambda: D.Conv3DTranspose("l", 4, filter_size=3), [3, 4, 3, 3, 3], lambda: [full(*VOLUMES)]),
    "LayerNorm": (lambda: D.LayerNorm("l"), [4], lambda: [full(*ROWS)]),
    "GroupNorm": (
        lambda: D.GroupNorm("l", groups=1, param_attr=fluid.ParamAttr(), bias_attr=fluid.ParamAttr()),
        [3],
        lambda: [full(*IMAGES)],
    ),
    "PRelu": (lambda: D.PRelu("l", "channel"), [1, 3, 1, 1], lambda: [full(*IMAGES, of=-1)]),
    "BilinearTensorProduct": (
        lambda: D.BilinearTensorProduct("l", 2),
        [2, 4, 4],
        lambda: [full(*ROWS), full(*ROWS)],
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_a_parameter_assigned_to_a_layer_that_builds_late_stays(name):
    make, shape, inputs = LATE[name]
    layer = make()
    own = L.create_parameter(shape, "float32", default_initializer=fluid.initializer.Constant(0.25))
    layer.weight = own
    layer(*inputs())
    assert layer.weight is own and (own.numpy() == 0.25).all()
    assert sum(one is own for one in layer.parameters()) == 1


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: D.Conv2D(3, 4, 3), IMAGES),
        (lambda: D.Conv2DTranspose(3, 4, 3), IMAGES),
        (lambda: D.Conv3DTranspose(3, 4, 3), VOLUMES),
        (lambda: D.Linear(4, 3), ROWS),
    ],
)
def test_a_weight_that_is_computed_anew_takes_the_place_of_the_parameter(make, shape):
    """As public networks normalise weights: take the parameter out, assign what is computed from it."""
    layer, before = make(), full(*shape)
    expected = layer(before).numpy() * 2 - layer.bias.numpy().reshape([1, -1] + [1] * (len(shape) - 2))
    fresh = make()
    for name, value in layer.state_dict().items():
        getattr(fresh, name).set_value(value)
    original, bias = fresh._parameters["weight"], fresh.bias
    del fresh._parameters["weight"]
    fresh.weight = original * 2
    out = fresh(before)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert fresh.bias is bias and "weight" not in fresh._parameters
    out.backward()
    assert original.gradient().any()
