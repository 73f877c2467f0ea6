"""Copies of programs: whole, for testing, and of what some targets need."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import NotFoundError
from refluid.ir.verify import verify


def dropout_mlp():
    x = fluid.data("x", [None, 4])
    label = fluid.data("label", [None, 1])
    hidden = fluid.layers.batch_norm(fluid.layers.fc(x, 8, act="relu"))
    out = fluid.layers.fc(fluid.layers.dropout(hidden, 0.5), 1)
    loss = fluid.layers.mean(fluid.layers.square_error_cost(out, label))
    return out, loss


def types(program):
    return [op.type for op in program.global_block().ops]


def feed():
    return {"x": np.random.rand(5, 4).astype(np.float32), "label": np.ones((5, 1), np.float32)}


def started():
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    return exe


def test_a_clone_is_equal_and_independent():
    _, loss = dropout_mlp()
    fluid.optimizer.SGD(0.1).minimize(loss)
    main = fluid.default_main_program()
    copied = main.clone()
    verify(copied)
    assert str(copied) == str(main)
    copied.global_block()._remove_op(0)
    copied.global_block().ops[0]._set_attr("axis", 0)
    assert types(main)[0] == "mul" and main.global_block().ops[1].attr("axis") == 1


def test_a_clone_keeps_the_seed_and_the_kind_of_its_variables():
    dropout_mlp()
    main = fluid.default_main_program()
    main.random_seed = 7
    copied = main.clone()
    assert copied.random_seed == 7
    assert [p.name for p in copied.all_parameters()] == [p.name for p in main.all_parameters()]
    assert copied.global_block().var("x").is_data
    assert all(var.block.program is copied for var in copied.list_vars())


def test_clone_for_test_has_no_gradients_and_keeps_every_unit():
    out, loss = dropout_mlp()
    fluid.optimizer.Adam(0.1).minimize(loss)
    test = fluid.default_main_program().clone(for_test=True)
    verify(test)
    assert not any(kind.endswith("_grad") or kind == "adam" for kind in types(test))
    assert [op.attr("is_test") for op in test.global_block().ops if op.type in ("dropout", "batch_norm")] == [True] * 2
    exe, batch = started(), feed()
    first, second = (exe.run(test, feed=batch, fetch_list=[out])[0] for _ in range(2))
    assert np.array_equal(first, second)


def test_clone_for_test_leaves_the_training_program_training():
    out, _ = dropout_mlp()
    main = fluid.default_main_program()
    main.clone(for_test=True)
    assert [op.attr("is_test") for op in main.global_block().ops if op.type in ("dropout", "batch_norm")] == [False] * 2
    exe, batch = started(), feed()
    first, second = (exe.run(main, feed=batch, fetch_list=[out])[0] for _ in range(2))
    assert not np.array_equal(first, second)


def test_a_clone_taken_before_and_after_minimize_tests_alike():
    _, loss = dropout_mlp()
    main = fluid.default_main_program()
    before = main.clone(for_test=True)
    fluid.optimizer.Adam(0.1).minimize(loss)
    assert types(main.clone(for_test=True)) == types(before)


def test_pruning_keeps_what_the_target_needs():
    out, loss = dropout_mlp()
    fluid.optimizer.SGD(0.1).minimize(loss)
    main = fluid.default_main_program()
    pruned = main._prune([out])
    verify(pruned)
    assert types(pruned) == ["mul", "elementwise_add", "relu", "batch_norm", "dropout", "mul", "elementwise_add"]
    assert not pruned.global_block().has_var("label") and not pruned.global_block().has_var("learning_rate_0")
    assert pruned.global_block().has_var("fc_1.w_0")


def test_pruning_stops_at_what_is_fed():
    x = fluid.data("x", [None, 4])
    hidden = fluid.layers.fc(x, 3)
    out = fluid.layers.fc(hidden, 2)
    pruned = fluid.default_main_program()._prune([out], [hidden])
    assert types(pruned) == ["mul", "elementwise_add"]
    assert [p.name for p in pruned.all_parameters()] == ["fc_1.w_0", "fc_1.b_0"]


def test_a_target_that_does_not_exist_is_named():
    dropout_mlp()
    with pytest.raises(NotFoundError, match="prune: target 'nothing' is not in the program"):
        fluid.default_main_program()._prune(["nothing"])
