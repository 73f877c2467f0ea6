"""Three steps on two places: the losses of the places and the parameters are those that Fluid 1.8.5 gave."""

import numpy as np
import pytest

import paddle.fluid as fluid

X = (np.arange(24).reshape(8, 3) % 7 / 7.0 - 0.4).astype("float32")
Y = (np.arange(8).reshape(8, 1) % 3 / 3.0).astype("float32")
W = (np.arange(12).reshape(3, 4) % 5 / 5.0 - 0.4).astype("float32")
V = np.array([[0.5], [-0.25], [0.125], [1.0]], "float32")

# What differs, samples in a batch: losses of three steps, the parameter v after them.
RECORDED = {
    ("momentum", 8): (
        [[0.150366, 0.170422], [0.090276, 0.103458], [0.069921, 0.070273]],
        [0.479575, -0.238682, 0.141675, 1.006549],
    ),
    ("momentum", 7): (
        [[0.150366, 0.175157], [0.092065, 0.119168], [0.067652, 0.094223]],
        [0.479381, -0.240962, 0.13897, 1.007128],
    ),
    ("gradients summed", 8): (
        [[0.150366, 0.170422], [0.068211, 0.072869], [0.131818, 0.113254]],
        [0.445952, -0.224903, 0.155052, 0.990394],
    ),
    ("adam", 6): (
        [[0.199935, 0.175587], [0.171259, 0.161464], [0.145429, 0.148775]],
        [0.470507, -0.221396, 0.155048, 1.029954],
    ),
    ("batch_norm", 8): (
        [[0.398327, 1.184385], [0.353174, 0.488848], [0.422468, 0.171226]],
        [0.581747, -0.028315, -0.177977, 0.512773],
    ),
}
MEAN = [-9e-06, 0.016383, 0.00412, -0.001063]  # the moving mean of batch_norm


def value(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor()).ravel()


@pytest.mark.parametrize("what, samples", RECORDED)
def test_trainings_equal_fluids(what, samples):
    x, y = fluid.layers.data("x", [3]), fluid.layers.data("y", [1])
    w, v = (
        fluid.ParamAttr(name, initializer=fluid.initializer.NumpyArrayInitializer(array))
        for name, array in (("w", W), ("v", V))
    )
    h = fluid.layers.fc(x, 4, act="tanh", param_attr=w)
    if what == "batch_norm":
        h = fluid.layers.batch_norm(h, moving_mean_name="mean")
    loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(h, 1, param_attr=v), y))
    (fluid.optimizer.Adam(0.01) if what == "adam" else fluid.optimizer.Momentum(0.1, 0.9)).minimize(loss)
    strategy = fluid.BuildStrategy()
    if what == "gradients summed":
        strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.One
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        loss_name=loss.name, build_strategy=strategy, places=[fluid.CPUPlace()] * 2
    )
    feed = {"x": X[:samples], "y": Y[:samples]}
    losses = [exe.run(program, feed=feed, fetch_list=[loss])[0] for _ in range(3)]
    expected, parameter = RECORDED[what, samples]
    np.testing.assert_allclose(losses, expected, atol=2e-6)
    np.testing.assert_allclose(value("v"), parameter, atol=2e-6)
    if what == "batch_norm":
        np.testing.assert_allclose(value("mean"), MEAN, atol=2e-6)
