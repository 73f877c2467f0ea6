"""Attributes that oneDNN's kernels read are obeyed where an operator asks for these kernels, and only there."""

import numpy as np
import pytest

import paddle.fluid as fluid

X = np.random.RandomState(0).uniform(-1, 1, (2, 3, 4, 4)).astype("float32")
MORE = np.random.RandomState(1).uniform(-1, 1, (2, 2, 4, 4)).astype("float32")


def run(attrs):
    """(the convolution of X alone, the same operator with these attributes and MORE as its ResidualData)."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        x, more = fluid.data("x", [None, 3, 4, 4]), fluid.data("more", [None, 2, 4, 4])
        plain = fluid.layers.conv2d(x, 2, 3, padding=1, bias_attr=False)
        fused = fluid.layers.conv2d(x, 2, 3, padding=1, bias_attr=False)
        one, other = main.global_block().ops
        other.inputs["Filter"] = one.inputs["Filter"]
        other.inputs["ResidualData"] = [more.name]
        other.attrs.update(attrs)
        exe = fluid.Executor()
        exe.run(startup)
        return exe.run(main, feed={"x": X, "more": MORE}, fetch_list=[plain, fused])


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({"fuse_activation": "relu"}, lambda y: np.maximum(y, 0)),
        ({"fuse_activation": "leaky_relu", "fuse_alpha": 0.3}, lambda y: np.where(y > 0, y, 0.3 * y)),
        ({"fuse_activation": "relu6", "fuse_alpha": 0.2}, lambda y: np.clip(y, 0, 0.2)),
        ({"fuse_relu": True}, lambda y: np.maximum(y, 0)),
        ({"fuse_brelu": True, "fuse_brelu_threshold": 0.1}, lambda y: np.clip(y, 0, 0.1)),
        ({"fuse_residual_connection": True}, lambda y: y + MORE),
        ({"fuse_residual_connection": True, "fuse_activation": "relu"}, lambda y: np.maximum(y + MORE, 0)),
        ({}, lambda y: y),
    ],
)
def test_a_convolution_of_onednn_does_what_is_fused_into_it(attrs, wanted):
    plain, fused = run({"use_mkldnn": True, **attrs})
    np.testing.assert_allclose(fused, wanted(plain), rtol=1e-5, atol=1e-6)
    plain, fused = run(attrs)
    np.testing.assert_allclose(fused, plain, rtol=1e-6)


def test_an_activation_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="fuse_activation must be one of relu, relu6"):
        run({"use_mkldnn": True, "fuse_activation": "gelu"})
