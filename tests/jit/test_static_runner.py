"""StaticModelRunner: a saved model as a layer."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D, L = fluid.dygraph, fluid.layers
X = np.random.RandomState(0).rand(4, 3).astype("float32")


def saved(folder, params=None):
    """A model with batch normalisation and dropout, and what it gives for X."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.core.Scope()):
        hidden = L.batch_norm(L.fc(fluid.data("x", [None, 3]), 5))
        out = L.fc(L.dropout(hidden, 0.5), 2, act="softmax")
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        fluid.io.save_inference_model(str(folder), ["x"], [out, hidden], exe, params_filename=params)
        test = fluid.default_main_program().clone(for_test=True)
        return exe.run(test, feed={"x": X}, fetch_list=[out, hidden])


@pytest.mark.parametrize("params", [None, "all"])
def test_eval_gives_what_the_model_gives(tmp_path, params):
    expected = saved(tmp_path, params)
    with D.guard():
        runner = fluid.dygraph.static_runner.StaticModelRunner(str(tmp_path), params_filename=params)
        runner.eval()
        for given in (X, D.to_variable(X)):
            for a, b in zip(runner(given), expected, strict=True):
                np.testing.assert_allclose(a.numpy(), b, rtol=1e-5, atol=1e-6)


def test_it_is_trained_as_any_layer(tmp_path):
    saved(tmp_path)
    with D.guard():
        runner = D.StaticModelRunner(str(tmp_path))
        other = D.StaticModelRunner(str(tmp_path))
        assert not {p.name for p in runner.parameters()} & {p.name for p in other.parameters()}
        stopped = [p.name.rsplit(".", 1)[0] for p in runner.parameters() if p.stop_gradient]
        assert stopped == ["batch_norm_0.w_1", "batch_norm_0.w_2"]
        sgd = fluid.optimizer.SGD(0.5, parameter_list=runner.parameters())
        losses = []
        statistics = next(p for p in runner.parameters() if p.name.startswith("batch_norm_0.w_1"))
        before = statistics.numpy()
        for _ in range(20):
            out, _ = runner(D.to_variable(X))
            loss = L.mean(L.cross_entropy(out, D.to_variable(np.zeros((4, 1), "int64"))))
            loss.backward()
            sgd.minimize(loss)
            runner.clear_gradients()
            losses.append(float(loss))
        assert np.mean(losses[-5:]) < np.mean(losses[:5]) and not np.array_equal(statistics.numpy(), before)


def test_dropout_drops_in_training_alone(tmp_path):
    saved(tmp_path)
    with D.guard():
        runner = D.StaticModelRunner(str(tmp_path))
        first, second = (runner(X)[0].numpy() for _ in range(2))
        assert not np.array_equal(first, second)
        runner.eval()
        assert np.array_equal(runner(X)[0].numpy(), runner(X)[0].numpy())


def test_what_is_refused(tmp_path):
    saved(tmp_path)
    with D.guard():
        with pytest.raises(EnforceNotMet, match=r"takes 1 inputs \(x\), got 2"):
            D.StaticModelRunner(str(tmp_path))(X, X)
        with pytest.raises(EnforceNotMet, match="there is no folder"):
            D.StaticModelRunner(str(tmp_path / "nowhere"))
