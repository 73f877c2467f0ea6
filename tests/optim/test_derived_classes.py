"""Regularizers, clips and initializers that a program derives from Fluid's bases, in both modes."""

import numpy as np
import pytest

import paddle.fluid as fluid

D, L = fluid.dygraph, fluid.layers
X = np.ones((2, 2), "float32")


class Half(fluid.regularizer.WeightDecayRegularizer):
    def __call__(self, param, grad, block):
        return L.scale(param, 0.5)

    def __str__(self):
        return "Half"


class Halved(fluid.clip.GradientClipBase):
    def _static_clip(self, params_grads):
        return [(p, g * 0.5) for p, g in params_grads]

    _dygraph_clip = _static_clip


class Threes(fluid.initializer.Initializer):
    def __call__(self, var, block):
        attrs = {"shape": list(var.shape), "dtype": int(var.dtype), "value": 3.0}
        return block.append_op(type="fill_constant", outputs={"Out": var}, attrs=attrs)


def weights(initializer=None, **options):
    """The weight [2, 1] after one step on the mean of its output, imperative and static."""
    attr = fluid.ParamAttr(name="w", initializer=initializer or fluid.initializer.Constant(0.5))
    found = []
    with D.guard():
        net = D.Linear(2, 1, attr)
        loss = L.mean(net(D.to_variable(X)))
        loss.backward()
        fluid.optimizer.SGD(1.0, parameter_list=net.parameters(), **options).minimize(loss)
        found.append(net.weight.numpy())
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.core.Scope()):
        loss = L.mean(L.fc(fluid.data("x", [2, 2]), 1, param_attr=attr))
        fluid.optimizer.SGD(1.0, **options).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        exe.run(feed={"x": X})
        found.append(np.array(fluid.global_scope().find_var("w").get_tensor()))
    return found


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, -0.5),
        ({"regularization": Half()}, -0.75),
        ({"grad_clip": Halved()}, 0.0),
        ({"initializer": Threes()}, 2.0),
    ],
)
def test_what_a_program_derives_is_used_in_both_modes(options, expected):
    for found in weights(**options):
        np.testing.assert_allclose(found, [[expected], [expected]], atol=1e-6)


def test_a_parameter_that_the_list_has_twice_is_updated_twice():
    with D.guard():
        net = D.Linear(2, 1, fluid.initializer.Constant(0.5))
        sgd = fluid.optimizer.Momentum(0.1, 0.5, parameter_list=net.parameters() + net.parameters())
        loss = L.reduce_sum(net(D.to_variable(X[:1])))
        loss.backward()
        sgd.minimize(loss)
        np.testing.assert_allclose(net.weight.numpy(), [[0.25], [0.25]], rtol=1e-6)  # 0.1, then 0.1 * 1.5


def test_an_attribute_that_an_operator_does_not_know_is_warned_of():
    with D.guard():
        x, out = D.to_variable(X), D.to_variable(X)
        with pytest.warns(UserWarning, match="scale: unknown attribute 'nothing' is not used"):
            fluid.framework._dygraph_tracer().trace_op(
                type="scale", inputs={"X": x}, outputs={"Out": out}, attrs={"scale": 2.0, "nothing": 1}
            )
        assert (out.numpy() == 2).all()
