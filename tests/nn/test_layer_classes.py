"""Every Layer class beside what 1.8.5 did: names, state, results and gradients."""

from functools import partial

import numpy as np
import pytest
from tests.models.oracle import recorded, source

import paddle.fluid as fluid

classes = source("layer_classes")
RECORDED = recorded("layer_classes.json")
# 1.8.5 gives the nodes or the weight something there that is not the slope; the last test here tells who is right.
WRONG_SLOPES = ("group_norm", "spectral_norm", "tree_conv", "tree_conv_chain")


@pytest.mark.parametrize("name", RECORDED)
def test_a_layer_does_what_it_does_in_fluid(name):
    expected = RECORDED[name]
    found = classes.run(name)
    assert found["full_name"] == expected["full_name"]
    assert found["state"] == expected["state"]
    if "out" not in expected:
        return
    _close(found["out"], expected["out"], "out")
    assert set(found["grads"]) == set(expected["grads"])
    if name in WRONG_SLOPES:
        return
    for key, grad in expected["grads"].items():
        _close(found["grads"][key], grad, key)


def _close(found, expected, what):
    array = np.array(expected["data"], expected["dtype"]).reshape(expected["shape"])
    np.testing.assert_allclose(found, array, rtol=1e-4, atol=1e-5, err_msg=what)


@pytest.mark.parametrize("name", WRONG_SLOPES)
def test_where_fluid_errs_the_gradient_is_the_slope(name):
    make, inputs = classes.CLASSES[name]
    if name == "spectral_norm":  # the gradient takes the singular vectors as given, so they have to be found
        make = partial(fluid.dygraph.SpectralNorm, [3, 2, 2], dim=1, power_iters=100)
    x, others = classes.fixed(inputs[0], 10), inputs[1:]

    def weighted(value, backward=False):
        with fluid.dygraph.guard(), fluid.unique_name.guard():
            layer = make()
            for i, param in enumerate(layer.state_dict().values()):
                param.set_value(classes.fixed(param.shape, i))
            var = fluid.dygraph.to_variable(value)
            var.stop_gradient = False
            out = layer(var, *map(fluid.dygraph.to_variable, others))
            weights = classes.fixed(out.shape, 20)
            if not backward:
                return float((out.numpy().astype("float64") * weights).sum())
            fluid.layers.reduce_sum(out * fluid.dygraph.to_variable(weights)).backward()
            return var.gradient()

    found, step = weighted(x, backward=True), np.float32(0.01)
    for index in np.ndindex(x.shape):
        there = np.zeros_like(x)
        there[index] = step
        slope = (weighted(x + there) - weighted(x - there)) / (2 * step)
        np.testing.assert_allclose(found[index], slope, atol=2e-3, err_msg=str(index))
