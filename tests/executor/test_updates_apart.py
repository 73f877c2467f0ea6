"""Operators of optimizers in hand-written programs, whose outputs have other names than what they update."""

import numpy as np
import pytest

import paddle.fluid as fluid

PARAM, GRAD, RATE = [1.0, 2.0, 3.0], [0.1, 0.2, -0.3], [0.1]
TENTH, FIFTH = [0.1] * 3, [0.2] * 3
PLAIN = {"Param": PARAM, "Grad": GRAD, "LearningRate": RATE}
ADAM = {**PLAIN, "Moment1": TENTH, "Moment2": FIFTH, "Beta1Pow": [0.9], "Beta2Pow": [0.999]}
ADAM_OUT = "ParamOut Moment1Out Moment2Out Beta1PowOut Beta2PowOut"
NO_BETAS = "ParamOut Moment1Out Moment2Out"

# What Fluid 1.8.5 gives for the outputs.
RECORDED = {
    "sgd": (PLAIN, {}, {"ParamOut": [0.99, 1.98, 3.03]}),
    "momentum": (
        {**PLAIN, "Velocity": [0.5] * 3},
        {"mu": 0.9},
        {"ParamOut": [0.945, 1.935, 2.985], "VelocityOut": [0.55, 0.65, 0.15]},
    ),
    "adam": (
        ADAM,
        {},
        {
            "ParamOut": [0.992926, 1.992219, 2.995756],
            "Moment1Out": [0.1, 0.11, 0.06],
            "Moment2Out": [0.19981, 0.19984, 0.19989],
            "Beta1PowOut": [0.81],
            "Beta2PowOut": [0.998001],
        },
    ),
    "adamax": (
        {**PLAIN, "Moment": TENTH, "InfNorm": FIFTH, "Beta1Pow": [0.9]},
        {},
        {"ParamOut": [0.4995, 1.45, 2.8], "MomentOut": [0.1, 0.11, 0.06], "InfNormOut": [0.1998, 0.2, 0.3]},
    ),
    "adagrad": (
        {**PLAIN, "Moment": TENTH},
        {},
        {"ParamOut": [0.969849, 1.946548, 3.068824], "MomentOut": [0.11, 0.14, 0.19]},
    ),
    "lars_momentum": (
        {**PLAIN, "Velocity": [0.5] * 3},
        {"mu": 0.9},
        {"ParamOut": [0.5499, 1.5498, 2.550297], "VelocityOut": [0.4501, 0.4502, 0.449703]},
    ),
    "lamb": (
        ADAM,
        {"weight_decay": 0.01},
        {
            "ParamOut": [0.775978, 1.744967, 2.842608],
            "Moment1Out": [0.1, 0.11, 0.06],
            "Moment2Out": [0.19981, 0.19984, 0.19989],
        },
    ),
}


def run(type, inputs, attrs, outputs):
    """The values of all variables behind one operator; `outputs` names them by slot."""
    main = fluid.Program()
    block = main.global_block()
    for slot, value in inputs.items():
        block.create_var(name=slot, shape=[len(value)], dtype="float32", is_data=True)
    for name in set(outputs.values()) - set(inputs):
        block.create_var(name=name, shape=[1], dtype="float32")
    block.append_op(
        type=type,
        inputs={slot: [block.var(slot)] for slot in inputs},
        outputs={slot: [block.var(name)] for slot, name in outputs.items()},
        attrs=attrs,
    )
    names = [*inputs, *(name for name in outputs.values() if name not in inputs)]
    feed = {slot: np.array(value, "float32") for slot, value in inputs.items()}
    return dict(zip(names, fluid.Executor(fluid.CPUPlace()).run(main, feed, names), strict=True))


@pytest.mark.parametrize("type", RECORDED)
def test_an_update_under_another_name_leaves_what_it_updates_alone(type):
    inputs, attrs, expected = RECORDED[type]
    found = run(type, inputs, attrs, {slot: slot for slot in expected})
    for name, value in {**inputs, **expected}.items():
        np.testing.assert_allclose(found[name], value, rtol=2e-6, err_msg=name)


def test_the_result_may_take_the_name_of_the_gradient():
    found = run("sgd", PLAIN, {}, {"ParamOut": "Grad"})
    np.testing.assert_allclose(found["Grad"], [0.99, 1.98, 3.03], rtol=1e-6)
    assert found["Param"].tolist() == PARAM


def test_powers_of_betas_without_outputs_stay_as_programs_of_1_5_move_them_on_themselves():
    found = run("adam", ADAM, {}, {slot: slot for slot in NO_BETAS.split()})
    np.testing.assert_allclose(found["ParamOut"], [0.992926, 1.992219, 2.995756], rtol=2e-6)
    assert found["Beta1Pow"] == np.float32(0.9) and found["Beta2Pow"] == np.float32(0.999)


def test_a_power_of_1_makes_the_step_of_adamax_infinite():
    inputs, attrs, expected = RECORDED["adamax"]
    found = run("adamax", {**inputs, "Beta1Pow": [1.0]}, attrs, {slot: slot for slot in expected})
    assert found["ParamOut"].tolist() == [-np.inf] * 3
    found = run("adam", {**ADAM, "Beta1Pow": [1.0], "Beta2Pow": [1.0]}, {}, {s: s for s in ADAM_OUT.split()})
    assert np.isnan(found["ParamOut"]).all()


def test_two_optimizers_with_the_same_gradients_update_one_after_the_other():
    x = fluid.data("x", [4, 3])
    weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(0.3))
    loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(x, 2, param_attr=weight, bias_attr=False)))
    first, second = fluid.optimizer.Adam(0.1), fluid.optimizer.Adam(0.1)
    grads = first.backward(loss)
    first.apply_gradients(grads)
    with pytest.warns(UserWarning, match="has been minimized before"):
        second.apply_gradients(grads)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    for _ in range(3):
        exe.run(feed={"x": np.arange(12, dtype="float32").reshape(4, 3) / 10})
    # recorded: Fluid 1.8.5
    np.testing.assert_allclose(
        fluid.global_scope().find_var("w").get_tensor(), [[-0.17609331] * 2] * 2 + [[-0.17609338] * 2], rtol=1e-5
    )


def test_views_of_a_parameter_have_the_values_of_before_its_update():
    w = fluid.layers.create_parameter([2, 3], "float32", "w", default_initializer=fluid.initializer.Constant(1.0))
    flat, turned = fluid.layers.reshape(w, [-1]), fluid.layers.transpose(w, [1, 0])
    fluid.optimizer.SGD(0.1).minimize(fluid.layers.reduce_sum(fluid.layers.square(w)))
    later = fluid.layers.scale(fluid.layers.squeeze(fluid.layers.unsqueeze(turned, [0]), [0]), 2.0)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    found = exe.run(fetch_list=[w, flat, turned, later])
    # recorded: Fluid 1.8.5
    assert [float(one.ravel()[0]) for one in found] == [pytest.approx(0.8), 1.0, 1.0, 2.0]


def test_what_is_read_before_an_update_is_what_it_was_wherever_a_pass_computes_it():
    x, shift = fluid.data("x", [None, 2]), fluid.layers.create_parameter([2], "float32", "shift", is_bias=True)
    ones = fluid.initializer.Constant(1.0)
    w = fluid.layers.create_parameter([2, 2], "float32", "w", default_initializer=ones)
    product = fluid.layers.mul(x, w)
    grad, rate = fluid.layers.ones([2, 2], "float32"), fluid.layers.fill_constant([1], "float32", 0.5)
    block = fluid.default_main_program().global_block()
    block.append_op("sgd", inputs={"Param": w, "Grad": grad, "LearningRate": rate}, outputs={"ParamOut": w})
    out = fluid.layers.elementwise_add(product, shift)  # a pass computes it with the product in one call
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    assert exe.run(feed={"x": np.ones([1, 2], "float32")}, fetch_list=[out])[0].tolist() == [[2.0, 2.0]]
    assert np.array(fluid.global_scope().find_var("w").get_tensor()).tolist() == [[0.5, 0.5]] * 2


def test_gradients_that_a_loop_adds_up_are_not_copied_for_the_updates():
    x = fluid.data("x", [5, None, 3])
    network = fluid.layers.StaticRNN()
    with network.step():
        word = network.step_input(x)
        memory = network.memory(shape=[-1, 4], batch_ref=word)
        state = fluid.layers.fc(fluid.layers.reshape(fluid.layers.concat([word, memory], 1), [-1, 7]), 4, act="tanh")
        network.update_memory(memory, state)
        network.step_output(state)
    loss = fluid.layers.mean(network())
    fluid.optimizer.SGD(0.1).minimize(loss)
    assert "COPY" not in fluid.default_main_program().to_source(fetch_list=[loss])
