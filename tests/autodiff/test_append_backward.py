"""append_backward: what it writes into a program, and that it computes the gradients."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.ir.verify import verify

F32 = np.float32


def parameter(name, *shape, value=1.0, **settings):
    attr = fluid.ParamAttr(name=name, initializer=fluid.initializer.Constant(value), **settings)
    return fluid.layers.create_parameter(list(shape), "float32", attr=attr)


def run(fetch, feed=None):
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    verify(fluid.default_main_program())
    return exe.run(feed=feed, fetch_list=fetch)


def types():
    return [op.type for op in fluid.default_main_program().global_block().ops]


def test_every_trainable_parameter_comes_with_its_gradient():
    x = fluid.data("x", [None, 3])
    w, b = parameter("w", 3, 2), parameter("b", 2)
    parameter("unused", 2)
    loss = fluid.layers.mean(fluid.layers.elementwise_add(fluid.layers.mul(x, w), b))
    pairs = fluid.backward.append_backward(loss)
    assert [(p.name, g.name) for p, g in pairs] == [("w", "w@GRAD"), ("b", "b@GRAD")]
    assert pairs[0][1].shape == (3, 2)
    found = run(["w@GRAD", "b@GRAD"], {"x": np.array([[1, 2, 3], [3, 4, 5]], F32)})
    assert np.allclose(found[0], [[1, 1], [1.5, 1.5], [2, 2]]) and np.allclose(found[1], [0.5, 0.5])


def test_the_loss_is_marked_and_starts_with_a_gradient_of_one():
    loss = fluid.layers.mean(parameter("w", 2) * 3.0)
    fluid.backward.append_backward(loss)
    ops = fluid.default_main_program().global_block().ops
    assert types() == ["scale", "mean", "fill_constant", "mean_grad", "scale"]
    assert [op.attr("op_role") for op in ops] == [0, 256, 257, 1, 1]
    assert ops[2].output("Out") == [loss.name + "@GRAD"] and ops[2].attr("value") == 1.0
    assert ops[-1].attr("op_role_var") == ["w", "w@GRAD"]


def test_gradients_of_a_variable_used_many_times_are_added_up():
    w = parameter("w", 2, value=3.0)
    square = fluid.layers.elementwise_mul(w, w)
    loss = fluid.layers.reduce_sum(fluid.layers.sums([square, fluid.layers.scale(w, 5.0), w]))
    fluid.backward.append_backward(loss)
    block = fluid.default_main_program().global_block()
    (total,) = [op for op in block.ops if op.type == "sum" and op.output("Out") == ["w@GRAD"]]
    assert total.input("X") == [f"w@GRAD@RENAME@block0@{i}" for i in range(len(total.input("X")))]
    assert run(["w@GRAD"])[0].tolist() == [12.0, 12.0]  # 2 w + 5 + 1


def test_stop_gradient_cuts_the_road():
    w = parameter("w", 2, value=3.0)
    stopped = fluid.layers.scale(w, 2.0)
    stopped.stop_gradient = True
    loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(stopped, w))
    fluid.backward.append_backward(loss)
    assert run(["w@GRAD"])[0].tolist() == [6.0, 6.0]


def test_data_has_no_gradient_unless_it_is_asked_for():
    x = fluid.layers.data("x", [3])
    assert x.stop_gradient
    loss = fluid.layers.mean(fluid.layers.mul(x, parameter("w", 3, 1)))
    fluid.backward.append_backward(loss)
    assert not fluid.default_main_program().global_block().has_var("x@GRAD")

    x.stop_gradient = False
    loss = fluid.layers.mean(fluid.layers.mul(x, parameter("v", 3, 1, value=2.0)))
    fluid.backward.append_backward(loss)
    assert np.allclose(run(["x@GRAD"], {"x": np.ones((4, 3), F32)})[0], 0.5)


@pytest.mark.parametrize("form", [lambda v: {v}, lambda v: {v.name}, lambda v: [v.name]])
def test_no_grad_set_takes_variables_and_names(form):
    w = parameter("w", 2)
    middle = fluid.layers.scale(w, 2.0)
    loss = fluid.layers.reduce_sum(fluid.layers.elementwise_add(middle, w))
    fluid.backward.append_backward(loss, no_grad_set=form(middle))
    assert run(["w@GRAD"])[0].tolist() == [1.0, 1.0]


def test_parameter_list_chooses_and_orders():
    a, b, c = (parameter(name, 1) for name in "abc")
    loss = fluid.layers.reduce_sum(fluid.layers.sums([a, b, c]))
    pairs = fluid.backward.append_backward(loss, parameter_list=["c", a])
    assert [p.name for p, _ in pairs] == ["c", "a"]


def test_a_parameter_list_takes_any_variables():
    hidden = fluid.layers.scale(parameter("w", 1), 2.0)
    loss = fluid.layers.reduce_sum(fluid.layers.square(hidden))
    pairs = fluid.backward.append_backward(loss, parameter_list=[hidden, "w"])
    assert [(var.name, grad.name) for var, grad in pairs] == [(hidden.name, hidden.name + "@GRAD"), ("w", "w@GRAD")]


def test_a_parameter_list_with_a_stranger_passes_over_it():
    loss = fluid.layers.reduce_sum(parameter("w", 1))
    with pytest.warns(UserWarning, match="parameter_list names 'v', which is no variable of the program"):
        assert fluid.backward.append_backward(loss, parameter_list=["v"]) == []
    with pytest.raises(TypeError, match="parameter_list must hold variables or names, got int"):
        fluid.backward.append_backward(loss, parameter_list=[3])


def test_what_is_not_trainable_gets_no_gradient():
    w, frozen = parameter("w", 1), parameter("frozen", 1, trainable=False)
    loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(w, frozen))
    assert [p.name for p, _ in fluid.backward.append_backward(loss)] == ["w"]


def test_operators_that_the_loss_does_not_need_get_no_gradient():
    w = parameter("w", 2)
    fluid.layers.tanh(w)
    fluid.backward.append_backward(fluid.layers.reduce_sum(w))
    assert "tanh_grad" not in types()


def test_callbacks_see_every_gradient_operator():
    seen = []
    w = parameter("w", 2)
    loss = fluid.layers.mean(fluid.layers.tanh(w))
    fluid.backward.append_backward(loss, callbacks=[lambda block, context: seen.append(block.ops[-1].type)])
    assert seen == ["mean_grad", "tanh_grad"]


def test_error_clip_bounds_the_gradient_that_passes_a_variable():
    w = parameter("w", 3, value=2.0)
    middle = fluid.layers.scale(w, 1.0)
    middle.error_clip = fluid.clip.ErrorClipByValue(max=0.5, min=-0.25)
    signs = fluid.layers.assign(np.array([10, 0.1, -10], F32))
    loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(middle, signs))
    fluid.optimizer.SGD(1.0).minimize(loss)
    assert "clip" in types()
    assert np.allclose(run(["w@GRAD"])[0], [0.5, 0.1, -0.25])


def test_a_loss_of_unknown_size_is_taken_for_one_element():
    x = fluid.layers.data("x", [4])
    weight = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(1.0))
    loss = fluid.layers.square(fluid.layers.fc(x, 1, param_attr=weight, bias_attr=False))
    with pytest.warns(UserWarning, match="the loss must have one element, got square_.* \\[-1, 1\\]"):
        fluid.backward.append_backward(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    (found,) = exe.run(feed={"x": np.arange(4, dtype="float32").reshape(1, 4)}, fetch_list=["w@GRAD"])
    assert found.ravel().tolist() == [0.0, 12.0, 24.0, 36.0]  # as 1.8.5 has it


def test_a_single_input_without_a_way_to_the_target_has_no_gradient():
    x, other = parameter("x", 1), parameter("other", 1)
    target = fluid.layers.scale(x, 2.0)
    assert fluid.gradients(target, other) == [] and fluid.backward.calc_gradient(target, other) is None
    assert fluid.gradients(target, [x, other])[1] is None
