"""An optimizer and a schedule that a program derives for itself, as programs for language models do."""

import re

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.dygraph.learning_rate_scheduler import LearningRateDecay


class DecoupledAdam(fluid.optimizer.AdamOptimizer):
    """Shrinks weights, but no biases, after the update."""

    def __init__(self, *args, weight_decay, **kwargs):
        super().__init__(*args, **kwargs)
        self.weight_decay, self.spared = weight_decay, re.compile(r".*\.b_0")

    def apply_optimize(self, loss, startup_program, params_grads):
        super().apply_optimize(loss, startup_program, params_grads)
        for param, _ in params_grads:
            if not self.spared.match(param.name):
                fluid.layers.assign(param * (1.0 - self.weight_decay * self.current_step_lr()), param)


class WarmUp(LearningRateDecay):
    def __init__(self, rate, steps):
        super().__init__()
        self.rate, self.steps = rate, steps

    def step(self):
        if self.step_num < self.steps:
            return self.create_lr_var(self.rate * self.step_num / self.steps)
        return self.rate


def test_weights_shrink_beside_adam_and_stay_trainable():
    images = np.random.RandomState(0).rand(5, 2, 3).astype("float32")
    start = np.array([[0.1, -0.2], [0.3, 0.0], [-0.1, 0.2]], "float32")
    ends = {}
    for decay in (0.0, 0.5):
        with fluid.dygraph.guard():
            model = fluid.dygraph.Linear(3, 2)
            model.weight.set_value(start)
            adam = DecoupledAdam(WarmUp(0.1, 2), parameter_list=model.parameters(), weight_decay=decay)
            rates, before = [], start
            for image in images:
                loss = fluid.layers.reduce_mean(fluid.layers.square(model(fluid.dygraph.to_variable(image))))
                loss.backward()
                adam.minimize(loss)
                model.clear_gradients()
                rates.append(adam.current_step_lr())
                assert not model.weight.stop_gradient
                assert rates[-1] == 0 or not np.array_equal(model.weight.numpy(), before)
                before = model.weight.numpy()
            ends[decay] = before
    np.testing.assert_allclose(rates, [0.0, 0.05, 0.1, 0.1, 0.1], rtol=1e-6)
    assert np.abs(ends[0.5]).sum() < np.abs(ends[0.0]).sum()


def test_a_parameter_that_is_assigned_to_stays_as_trainable_as_it_was():
    with fluid.dygraph.guard():
        online, target = fluid.dygraph.Linear(2, 1, bias_attr=False), fluid.dygraph.Linear(2, 1, bias_attr=False)
        target.weight.stop_gradient = True
        x = fluid.dygraph.to_variable(np.array([[1, 3]], "float32"))
        for _ in range(2):
            with fluid.dygraph.no_grad():
                fluid.layers.assign(fluid.layers.clip(online.weight, -0.1, 0.1), online.weight)
            fluid.layers.assign(online.weight, target.weight)
            assert np.array_equal(online.weight.numpy(), target.weight.numpy())
            assert (online.weight.stop_gradient, target.weight.stop_gradient) == (False, True)
            online.clear_gradients()
            fluid.layers.reduce_sum(online(x) * target(x)).backward()
            value = target(x).numpy().item()
            np.testing.assert_allclose(online.weight.gradient().ravel(), [value, 3 * value], rtol=1e-6)
        fluid.layers.assign(np.array([[3], [4]], "float32"), online.weight)
        assert not online.weight.stop_gradient
