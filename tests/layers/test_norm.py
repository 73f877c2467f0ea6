import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, run

from refluid.core.errors import ArgumentError, ShapeError
from refluid.ir.program import default_main_program
from refluid.layers.batch_norm import batch_norm, data_norm, inplace_abn
from refluid.layers.data import data
from refluid.layers.norm import group_norm, instance_norm, l2_normalize, layer_norm, lrn, spectral_norm
from refluid.layers.reduce import mean
from refluid.optim.sgd import SGD
from refluid.params.initializer import Constant

IMAGE = np.random.RandomState(0).rand(3, 4, 5, 5).astype("float32")
ROWS = np.random.RandomState(1).rand(6, 4).astype("float32")


def test_batch_norm_normalises_every_channel_in_both_modes():
    (out,) = both(lambda x: batch_norm(x, act="relu", bias_attr=Constant(2.0)), x=IMAGE)
    np.testing.assert_allclose(out.mean((0, 2, 3)), 2.0, rtol=1e-2)
    last, shut = both(
        lambda x: [batch_norm(x, data_layout="NHWC"), batch_norm(x, data_layout="NHWC", in_place=True)],
        x=IMAGE.transpose(0, 2, 3, 1).copy(),
    )
    np.testing.assert_allclose(last.mean((0, 1, 2)), 0.0, atol=1e-5)
    np.testing.assert_array_equal(last, shut)


def test_batch_norm_names_and_moving_statistics_are_fluids():
    (x,) = declare(x=IMAGE)
    out = batch_norm(x, act="relu", moving_mean_name="means")
    names = {p.name: p.trainable for p in default_main_program().all_parameters()}
    assert names == {"batch_norm_0.w_0": True, "batch_norm_0.b_0": True, "means": False, "batch_norm_0.w_1": False}
    assert operators()[-1] == "relu: batch_norm_0.tmp_2 -> batch_norm_0.tmp_3"
    SGD(0.1).minimize(mean(out))
    (moving,) = run(["means"], runs=2, x=IMAGE)
    np.testing.assert_allclose(np.array(moving), IMAGE.mean((0, 2, 3)) * (1 - 0.9**2), rtol=1e-5)


def test_batch_norm_for_testing_reads_the_moving_statistics():
    (out,) = both(lambda x: batch_norm(x, is_test=True), x=IMAGE)
    np.testing.assert_allclose(out, IMAGE / np.sqrt(1 + 1e-5), rtol=1e-5)


def test_momentum_may_be_a_variable():
    x, momentum = declare(x=ROWS, momentum=np.array([0.5], "float32"))
    batch_norm(x, momentum=momentum, moving_mean_name="means")
    (moving,) = run(["means"], x=ROWS, momentum=np.array([0.5], "float32"))
    np.testing.assert_allclose(np.array(moving), 0.5 * ROWS.mean(0), rtol=1e-5)


def test_inplace_abn_is_batch_norm_and_an_activation():
    leaky = {"type": "leaky_relu", "alpha": 0.1}
    fused, plain = both(lambda x: [inplace_abn(x, act="leaky_relu", act_alpha=0.1), batch_norm(x, act=leaky)], x=IMAGE)
    np.testing.assert_allclose(fused, plain, rtol=1e-5, atol=1e-6)


def test_normalisation_within_a_sample_in_both_modes():
    layer, rows, group, instance = both(
        lambda x: [layer_norm(x), layer_norm(x, scale=False, shift=False, begin_norm_axis=3), group_norm(x, 2),
                   instance_norm(x)],
        x=IMAGE,
    )  # fmt: skip
    np.testing.assert_allclose(layer.mean((1, 2, 3)), 0, atol=1e-5)
    np.testing.assert_allclose(rows.std(3), 1, atol=1e-2)
    np.testing.assert_allclose(group.reshape(3, 2, -1).mean(2), 0, atol=1e-5)
    np.testing.assert_allclose(instance.mean((2, 3)), 0, atol=1e-5)


def test_outputs_are_numbered_as_in_fluid():
    (x,) = declare(x=IMAGE)
    assert layer_norm(x).name == "layer_norm_0.tmp_2"
    assert group_norm(x, 2).name == "_generated_var_2"
    assert l2_normalize(x, 1).name == "l2_normalize_0.tmp_0"
    assert lrn(x).name == "lrn_0.tmp_1"


def test_data_norm_starts_from_the_given_statistics():
    first = {"batch_size": 4.0, "batch_sum": 8.0, "batch_square": 16.0}
    (out,) = both(lambda x: data_norm(x, param_attr=first), x=ROWS)
    np.testing.assert_allclose(out, (ROWS - 2.0) * np.sqrt(4.0 / 16.0), rtol=1e-5)
    (x,) = declare(x=ROWS)
    data_norm(x, name="clicks", enable_scale_and_shift=True)
    made = ["clicks.batch_size", "clicks.batch_square_sum", "clicks.batch_sum", "clicks.bias", "clicks.scale_w"]
    assert sorted(p.name for p in default_main_program().all_parameters()) == made


def test_l2_and_spectral_norm():
    (unit,) = both(lambda x: l2_normalize(x, axis=1), x=ROWS)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, rtol=1e-5)
    weight = data("w", [6, 4], append_batch_size=False)
    (value,) = run([spectral_norm(weight, power_iters=30)], w=ROWS)
    np.testing.assert_allclose(np.linalg.svd(np.array(value))[1][0], 1, rtol=1e-3)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda x: batch_norm(x, bias_attr=False),
            ArgumentError,
            "batch_norm: param_attr and bias_attr must not be False",
        ),
        (lambda x: batch_norm(x, data_layout="CN"), ArgumentError, "batch_norm: data_layout must be 'NCHW' or 'NHWC'"),
        (
            lambda x: layer_norm(x, param_attr=False),
            ArgumentError,
            "layer_norm: param_attr must not be False when scale",
        ),
        (
            lambda x: layer_norm(x, begin_norm_axis=0),
            ShapeError,
            r"layer_norm: the sizes of x .* from axis 0 on must be",
        ),
        (lambda x: lrn(l2_normalize(x, 1)[0]), ShapeError, "lrn: input must have 4 axes"),
        (
            lambda x: inplace_abn(x, act="relu"),
            ArgumentError,
            "inplace_abn: act must be None, 'identity', 'leaky_relu'",
        ),
    ],
)
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call(*declare(x=IMAGE))


def test_settings_of_a_gain_that_is_not_made_are_told():
    with pytest.warns(UserWarning, match="layer_norm: param_attr has no effect with scale=False"):
        layer_norm(*declare(x=ROWS), scale=False, param_attr=Constant(1.0))
