"""Members of optimizers that begin with an underscore and that public programs use."""

import numpy as np
import pytest

import paddle.fluid as fluid

D, L, O = fluid.dygraph, fluid.layers, fluid.optimizer
X = np.array([[1, 2], [3, 4]], "float32")


class OwnMomentum(O.Optimizer):
    """Written as Fluid's own are: accumulators, then an operator per parameter."""

    def __init__(self, learning_rate, momentum, **options):
        super().__init__(learning_rate=learning_rate, **options)
        self.type, self._momentum = "momentum", momentum

    def _create_accumulators(self, block, parameters):
        assert isinstance(block, fluid.framework.Block) and self.helper is not None
        for p in parameters:
            self._add_accumulator("velocity", p)

    def _append_optimize_op(self, block, param_and_grad):
        velocity = self._get_accumulator("velocity", param_and_grad[0])
        return block.append_op(
            type=self.type,
            inputs={
                "Param": param_and_grad[0],
                "Grad": param_and_grad[1],
                "Velocity": velocity,
                "LearningRate": [self._create_param_lr(param_and_grad)],
            },
            outputs={"ParamOut": param_and_grad[0], "VelocityOut": velocity},
            attrs={"mu": self._momentum},
            stop_gradient=True,
        )


def trained(make):
    """The weight after three steps in each mode, where the bias learns at half the rate."""
    weights = []
    bias = fluid.ParamAttr(learning_rate=0.5, initializer=fluid.initializer.Constant(0.1))
    with D.guard():
        net = D.Linear(2, 1, fluid.initializer.Constant(0.3), bias)
        optimizer = make(parameter_list=net.parameters())
        for _ in range(3):
            loss = L.reduce_mean(L.square(net(D.to_variable(X))))
            loss.backward()
            optimizer.minimize(loss)
            net.clear_gradients()
        assert not net.weight.stop_gradient
        weights.append([net.weight.numpy(), net.bias.numpy()])
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.core.Scope()):
        out = L.fc(fluid.data("x", [2, 2]), 1, param_attr=fluid.initializer.Constant(0.3), bias_attr=bias)
        make().minimize(L.reduce_mean(L.square(out)))
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        for _ in range(3):
            exe.run(feed={"x": X})
        params = fluid.default_main_program().all_parameters()
        weights.append([np.array(fluid.global_scope().find_var(p.name).get_tensor()) for p in params])
    return weights


def test_a_derived_optimizer_appends_its_own_operators_in_both_modes():
    own = trained(lambda **options: OwnMomentum(0.1, 0.9, **options))
    ours = trained(lambda **options: O.Momentum(0.1, 0.9, **options))
    for one, other in zip(own, ours, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(own[0][0], own[1][0], rtol=1e-5, atol=1e-7)


def test_accumulators_by_kind_and_parameter():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        loss = L.mean(L.fc(fluid.data("x", [2, 2]), 1))
        adam = O.Adam(0.1, name="mine")
        adam.minimize(loss)
        moment = adam._get_accumulator(adam._moment1_acc_str, loss.block.program.all_parameters()[0])
        assert adam._accumulators["mine_moment1"]["fc_0.w_0"] is moment
        assert moment.name == "fc_0.w_0_mine_moment1_0" and moment.name in adam._opti_name_list
        assert sorted(adam._accumulators) == [
            "mine_beta1_pow_acc", "mine_beta2_pow_acc", "mine_moment1", "mine_moment2",
        ]  # fmt: skip


def test_the_learning_rate_of_a_program_is_made_found_and_replaced():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        sgd, main = O.SGD(0.1), fluid.default_main_program()
        assert sgd._global_learning_rate() is None and sgd._learning_rate_map == {}
        sgd._create_global_learning_rate()
        rate = sgd._global_learning_rate()
        assert rate.persistable and sgd._learning_rate_map == {main: rate}
        sgd._create_global_learning_rate()
        assert sgd._global_learning_rate(main) is rate and sgd._global_learning_rate(fluid.Program()) is None

        own = L.create_global_var([1], 0.5, "float32", persistable=True, name="own")
        sgd._learning_rate_map[main] = own
        ops, _ = sgd.minimize(L.mean(L.fc(fluid.data("x", [2, 2]), 1)))
        assert {op.input("LearningRate")[0] for op in ops if op.type == "sgd"} == {"own"}
        assert O.SGD(own)._learning_rate_map == {main: own}


def test_the_learning_rate_of_the_imperative_mode():
    with D.guard():
        net = D.Linear(2, 1)
        sgd = O.SGD(D.PiecewiseDecay([1], [0.5, 0.25], 0), parameter_list=net.parameters())
        assert sgd._global_learning_rate() is None
        for rate in (0.5, 0.25):
            loss = L.mean(net(D.to_variable(X)))
            loss.backward()
            assert sgd.minimize(loss)[0] == []
            assert sgd._global_learning_rate().numpy().tolist() == [rate] and sgd.current_step_lr() == np.float32(rate)
        assert list(sgd._learning_rate_map) == [fluid.default_main_program()]


def test_minimize_updates_the_list_that_the_optimizer_was_made_with():
    with D.guard():
        net = D.Linear(2, 1)
        loss = L.mean(net(D.to_variable(X)))
        loss.backward()
        weight = net.weight.numpy()
        with pytest.warns(UserWarning, match="the parameter_list that it was made with"):
            _, pairs = O.SGD(0.1, parameter_list=net.parameters()).minimize(loss, parameter_list=[net.bias])
        assert [p.name for p, _ in pairs] == [net.weight.name, net.bias.name]
        assert not np.array_equal(net.weight.numpy(), weight)
        _, pairs = O.SGD(0.1).minimize(loss, parameter_list=[net.bias.name])
        assert [p.name for p, _ in pairs] == [net.bias.name]
