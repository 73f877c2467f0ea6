"""Passes for plans that train nothing: folded batch norms, packed filters, and what joins a convolution."""

import re

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core import flags
from refluid.core.errors import EnforceNotMet

F32 = np.float32
RANDOM = fluid.initializer.Uniform(0.3, 0.9)


def batch_norm(x, **options):
    return fluid.layers.batch_norm(
        x,
        is_test=True,
        param_attr=fluid.ParamAttr(initializer=RANDOM),
        bias_attr=fluid.ParamAttr(initializer=RANDOM),
        moving_mean_name=fluid.unique_name.generate("mean"),
        moving_variance_name=fluid.unique_name.generate("variance"),
        **options,
    )


@pytest.fixture(autouse=True, params=[True, False], ids=["network", "lines"])
def road(request, monkeypatch):
    """Everything by the network where there is one, and by the lines of the plan."""
    monkeypatch.setitem(flags.FLAGS, "FLAGS_refluid_native", request.param)


def calls(*fetch):
    source = fluid.default_main_program().to_source(fetch_list=list(fetch))
    found = re.findall(r"^    (?:[^=(]* = )?(\w+)\(", source.split("\n", 1)[1], re.M)
    return [name for name in found if name != "network"]  # which has the other lines behind it


def images(count=2, channels=3, size=9):
    return np.random.RandomState(4).randn(count, channels, size, size).astype(F32)


def start():
    """An executor with random parameters and statistics."""
    fluid.default_startup_program().random_seed = 1
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    random = np.random.RandomState(7)
    for name in fluid.global_scope().local_var_names():
        if name.startswith(("mean", "variance")):
            tensor = fluid.global_scope().find_var(name).get_tensor()
            tensor.set(random.uniform(0.5, 2.0, tensor.shape()).astype(np.array(tensor).dtype), fluid.CPUPlace())
    return exe


def fast_and_plain(exe, fetch, feed):
    plain = fluid.Executor()
    plain.optimize = False
    return [one.run(feed=feed, fetch_list=fetch) for one in (exe, plain)]


def assert_same(fetch, feed, exe=None):
    fast, plain = fast_and_plain(exe or start(), fetch, feed)
    for left, right in zip(fast, plain, strict=True):
        # relative to the size of the numbers that were added up
        assert np.abs(left - right).max() <= 1e-5 * np.abs(right).max()


@pytest.mark.parametrize("bias", [False, None], ids=["no bias", "bias"])
@pytest.mark.parametrize("groups", [1, 3])
def test_a_batch_norm_goes_into_the_convolution(bias, groups):
    image = fluid.data("image", [None, 3, 9, 9])
    options = {"bias_attr": bias} if bias is False else {"bias_attr": fluid.ParamAttr(initializer=RANDOM)}
    out = batch_norm(fluid.layers.conv2d(image, 6, 3, stride=2, padding=1, groups=groups, **options), act="relu")
    assert calls(out) == ["conv2d_packed", "relu_"]
    assert_same([out], {"image": images()})


def test_batch_norms_that_share_their_statistics_go_into_their_convolutions():
    def branch(image):
        image = fluid.layers.conv2d(image, 3, 3, padding=1, bias_attr=False, param_attr="filter")
        return fluid.layers.batch_norm(
            image, is_test=True, param_attr="scale", bias_attr="shift", moving_mean_name="mean",
            moving_variance_name="variance",
        )  # fmt: skip

    image = fluid.data("image", [None, 3, 9, 9])
    first = branch(image)
    outs = [first, branch(fluid.layers.exp(image)), branch(fluid.layers.tanh(first))]
    assert calls(*outs).count("conv2d_packed") == 3 and "batch_norm" not in calls(*outs)
    assert_same(outs, {"image": images()})


def test_a_head_that_nobody_fetches_is_no_obstacle():
    x = fluid.data("x", [None, 3, 9, 9])
    fluid.layers.relu(batch_norm(fluid.layers.conv2d(x, 4, 3)))
    out = batch_norm(fluid.layers.conv2d(x, 2, 3))
    assert_same([out], {"x": images()})


def test_what_oneDNN_does_not_take_is_folded_all_the_same():
    image = fluid.data("image", [None, 3, 9, 9], dtype="float64")
    x = batch_norm(fluid.layers.conv2d(image, 4, 3, padding="SAME"))
    out = batch_norm(fluid.layers.conv2d(x, 4, 3, padding=[0, 1, 1, 0]))
    assert [call for call in calls(out) if call != "channels_last"] == ["conv2d", "conv2d"]
    assert_same([out], {"image": images().astype("float64")})


def test_channels_on_the_last_axis():
    image = fluid.data("image", [None, 9, 9, 3])
    x = fluid.layers.conv2d(image, 4, 3, data_format="NHWC", bias_attr=False)
    out = batch_norm(x, data_layout="NHWC")
    assert "batch_norm" not in calls(out)
    assert_same([out], {"image": images().transpose(0, 2, 3, 1).copy()})


def test_volumes():
    volume = fluid.data("volume", [None, 2, 5, 5, 5])
    out = batch_norm(fluid.layers.conv3d(volume, 4, 3, bias_attr=False))
    assert calls(out) == ["conv3d"]
    assert_same([out], {"volume": np.random.randn(2, 2, 5, 5, 5).astype(F32)})


@pytest.mark.parametrize("act", ["leaky_relu", "sigmoid", "tanh", "swish", "hard_swish"])
def test_an_activation_goes_into_the_convolution(act):
    image = fluid.data("image", [None, 3, 9, 9])
    out = getattr(fluid.layers, act)(fluid.layers.conv2d(image, 4, 3))
    assert calls(out) == ["conv2d_packed"]
    assert_same([out], {"image": images() * 10})


def test_activations_that_oneDNN_computes_otherwise_stay():
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.conv2d(image, 4, 3)
    out = fluid.layers.swish(fluid.layers.leaky_relu(x, 1.5), 2.0)
    assert calls(out) == ["conv2d_packed", "leaky_relu", "swish"]
    assert_same([out], {"image": images()})


ACTIVATIONS = ["relu", "relu6", "brelu", "leaky_relu", "sigmoid", "tanh", "swish", "hard_swish", "exp"]


@pytest.mark.parametrize("act", ACTIVATIONS)
@pytest.mark.parametrize("residual", [False, True])
def test_what_is_not_finite_stays_so(act, residual):
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.conv2d(image, 4, 1)
    if residual:
        x = x + fluid.layers.conv2d(image, 4, 1)
    out = getattr(fluid.layers, act)(x)
    feed = {"image": images()}
    feed["image"][0, 0, 0, :3] = np.nan, np.inf, -np.inf
    fast, plain = fast_and_plain(start(), [out], feed)
    assert np.isnan(fast[0]).any() and np.allclose(fast[0], plain[0], rtol=1e-4, atol=1e-4, equal_nan=True)


def block(x, shortcut):
    y = batch_norm(fluid.layers.conv2d(x, 4, 3, padding=1), act="relu")
    y = batch_norm(fluid.layers.conv2d(y, 4, 3, padding=1))
    return fluid.layers.elementwise_add(shortcut(x), y, act="relu")


@pytest.mark.parametrize("shortcut", ["identity", "projection"])
def test_a_residual_goes_into_the_convolution(shortcut):
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.conv2d(image, 4, 3)
    other = {"identity": lambda x: x, "projection": lambda x: batch_norm(fluid.layers.conv2d(x, 4, 1))}[shortcut]
    out = block(block(x, other), other)
    assert set(calls(out)) == {"conv2d_packed", "relu_"}
    assert_same([out], {"image": images()})


def test_a_residual_that_is_read_later_is_not_written_over():
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.conv2d(image, 4, 3)
    y = fluid.layers.conv2d(x, 4, 3, padding=1) + x
    out = y * fluid.layers.exp(x)
    assert "elementwise_add" in calls(out)
    assert_same([out], {"image": images()})
    assert_same([x, y], {"image": images()})


def test_a_convolution_of_what_is_added_to_it():
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.conv2d(image, 4, 3)
    out = fluid.layers.conv2d(x, 4, 3, padding=1) + x
    assert "elementwise_add" in calls(out)
    assert_same([out], {"image": images()})


def test_a_convolution_is_not_moved_behind_what_writes_over_its_image():
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.relu(fluid.layers.conv2d(image, 4, 3))
    late = fluid.layers.conv2d(x, 4, 3, padding=1)
    y = fluid.layers.conv2d(fluid.layers.exp(x), 4, 3, padding=1) + x
    out = fluid.layers.exp(y) + late
    assert_same([out], {"image": images()})


def test_a_residual_with_a_view_of_it_is_not_written_over():
    image = fluid.data("image", [None, 3, 9, 9])
    x = fluid.layers.conv2d(image, 4, 3)
    flat = fluid.layers.reshape(x, [-1, 196])
    y = fluid.layers.conv2d(image, 4, 3) + x
    out = fluid.layers.reshape(y, [-1, 196]) + flat
    assert_same([out], {"image": images()})


def test_a_filter_that_two_convolutions_share():
    image = fluid.data("image", [None, 3, 9, 9])
    first = batch_norm(fluid.layers.conv2d(image, 3, 3, padding=1, param_attr="filter"))
    out = batch_norm(fluid.layers.conv2d(first, 3, 3, stride=2, param_attr="filter"))
    assert_same([out], {"image": images()})


def test_changed_parameters_are_seen_however_they_change():
    image = fluid.data("image", [None, 3, 9, 9])
    out = batch_norm(fluid.layers.conv2d(image, 4, 3, param_attr="filter", bias_attr="bias"))
    exe, feed = start(), {"image": images()}
    assert_same([out], feed, exe)
    scope = fluid.global_scope()
    for name in ("filter", "bias", "mean_0", "variance_0"):
        before = exe.run(feed=feed, fetch_list=[out])[0]
        tensor = scope.find_var(name).get_tensor()
        tensor.set(np.array(tensor) + 1, fluid.CPUPlace())
        assert not np.array_equal(exe.run(feed=feed, fetch_list=[out])[0], before)
        assert_same([out], feed, exe)
        tensor.t.sub_(1)
        assert np.allclose(exe.run(feed=feed, fetch_list=[out])[0], before, rtol=1e-4, atol=1e-5)


def test_a_training_between_two_tests_is_seen():
    image = fluid.data("image", [None, 3, 9, 9])
    out = fluid.layers.batch_norm(fluid.layers.conv2d(image, 4, 3))
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Momentum(0.1, 0.9).minimize(fluid.layers.mean(fluid.layers.square(out - 1)))
    exe, feed = start(), {"image": images()}
    plain = fluid.Executor()
    plain.optimize = False
    for _ in range(3):
        fast = exe.run(test, feed=feed, fetch_list=[out])[0]
        assert np.allclose(fast, plain.run(test, feed=feed, fetch_list=[out])[0], rtol=1e-5, atol=1e-5)
        exe.run(feed=feed)
        assert not np.allclose(fast, exe.run(test, feed=feed, fetch_list=[out])[0], rtol=1e-3)


def test_scopes_have_values_of_their_own():
    image = fluid.data("image", [None, 3, 9, 9])
    out = batch_norm(fluid.layers.conv2d(image, 4, 3))
    feed, found = {"image": images()}, []
    exe = fluid.Executor()
    for seed in (1, 2):
        with fluid.scope_guard(fluid.Scope()):
            fluid.default_startup_program().random_seed = seed
            exe.run(fluid.default_startup_program())
            assert_same([out], feed, exe)
            found.append(exe.run(feed=feed, fetch_list=[out])[0])
    assert not np.allclose(*found)


def test_plans_of_training_programs_pack_nothing():
    image = fluid.data("image", [None, 3, 9, 9])
    out = fluid.layers.batch_norm(fluid.layers.conv2d(image, 4, 3), use_global_stats=True)
    loss = fluid.layers.mean(fluid.layers.fc(out, 1))
    fluid.optimizer.SGD(0.1).minimize(loss, parameter_list=["fc_0.w_0", "fc_0.b_0"])
    found = calls(loss)
    assert "conv2d_packed" not in found and "batch_norm" in found


def test_batches_and_images_of_any_size():
    image = fluid.data("image", [None, 3, None, None])
    out = batch_norm(fluid.layers.conv2d(image, 4, 3, stride=2), act="relu")
    exe = start()
    for count, size in ((1, 5), (7, 9), (2, 33), (0, 9)):
        fast, plain = fast_and_plain(exe, [out], {"image": images(count, size=size)})
        assert fast[0].shape == plain[0].shape and np.allclose(fast, plain, rtol=1e-5, atol=1e-5)


def test_refusals_name_the_convolution_and_the_real_shapes():
    image = fluid.data("image", [None, 3, None, None])
    x = fluid.layers.conv2d(image, 4, 3, param_attr="filter")
    other = fluid.layers.conv2d(fluid.data("other", [None, 3, None, None]), 4, 3)
    out = x + other
    exe = start()
    with pytest.raises(EnforceNotMet, match="to which .* cannot be added"):
        exe.run(feed={"image": images(size=8), "other": images()}, fetch_list=[out])
    fluid.global_scope().find_var("filter").get_tensor().set(np.zeros((4, 2, 3, 3), F32), fluid.CPUPlace())
    with pytest.raises(EnforceNotMet, match="conv2d: Input has 3 channels, but Filter takes 2"):
        exe.run(feed={"image": images(), "other": images()}, fetch_list=[x])


def test_parameters_without_values():
    out = batch_norm(fluid.layers.conv2d(fluid.data("image", [None, 3, 9, 9]), 4, 3))
    with pytest.raises(EnforceNotMet, match="has no value; run the startup program first"):
        fluid.Executor().run(feed={"image": images()}, fetch_list=[out])
