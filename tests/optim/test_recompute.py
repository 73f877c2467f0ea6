"""RecomputeOptimizer: the same training with less kept."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import ArgumentError, EnforceNotMet, ModeError

L = fluid.layers


def mlp(dropout=0.5):
    x, y = L.data("x", [4]), L.data("y", [1], dtype="int64")
    first = L.fc(x, 5, act="relu")
    second = L.dropout(L.fc(first, 5, act="relu"), dropout)
    third = L.fc(second, 5, act="relu")
    loss = L.mean(L.cross_entropy(L.fc(third, 3, act="softmax"), y))
    return loss, [first, third]


def convolutions():
    x, y = L.data("x", [1, 8, 8]), L.data("y", [1], dtype="int64")
    first = L.pool2d(L.conv2d(x, 4, 3, padding=1, act="relu"), 2, "max", 2)
    second = L.batch_norm(L.conv2d(first, 4, 3, padding=1), act="relu")
    second = L.elementwise_add(second, first)
    loss = L.mean(L.softmax_with_cross_entropy(L.fc(second, 3), y))
    return loss, [first, second]


def losses(build, recompute, images, steps=5):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        loss, checkpoints = build()
        optimizer = fluid.optimizer.Momentum(0.1, 0.9)
        if recompute:
            optimizer = fluid.optimizer.RecomputeOptimizer(optimizer)
            optimizer._set_checkpoints(checkpoints)
        optimizer.minimize(loss)
        exe = fluid.Executor()
        exe.run(startup)
        labels = np.arange(len(images)).reshape(-1, 1) % 3
        found = [exe.run(main, {"x": images, "y": labels}, [loss])[0].item() for _ in range(steps)]
        state = {v.name: np.array(fluid.global_scope().find_var(v.name).get_tensor()) for v in main.list_vars()
                 if v.persistable and not v.name.startswith("learning")}  # fmt: skip
    return found, state, main


@pytest.mark.parametrize("build", [lambda: mlp(0.0), convolutions], ids=["mlp", "convolutions"])
def test_training_is_the_same(build):
    shape = (6, 4) if build is not convolutions else (6, 1, 8, 8)
    images = np.random.rand(*shape).astype("float32")
    plain, before, _ = losses(build, False, images)
    again, after, _ = losses(build, True, images)
    np.testing.assert_allclose(again, plain, rtol=1e-6)
    assert before.keys() == after.keys()
    for name, value in before.items():
        np.testing.assert_allclose(after[name], value, rtol=1e-5, atol=1e-7, err_msg=name)


def test_the_backward_pass_reads_what_it_computes_again():
    _, _, main = losses(mlp, True, np.zeros((2, 4), "float32"), steps=1)
    lines = [f"{op.type}: {' '.join(op.output_arg_names)}" for op in main.global_block().ops if op.attr("op_role") == 1]
    assert "mul: fc_1.tmp_0.subprog_0" in lines and "relu: fc_1.tmp_2.subprog_0" in lines
    assert not any("fc_3" in line and "subprog" in line for line in lines)  # after the last checkpoint all is kept
    grad = next(op for op in main.global_block().ops if op.type == "dropout_grad")
    assert grad.input("Mask") == ["dropout_0.tmp_1.subprog_0"]


def test_a_dropout_that_runs_again_drops_the_same():
    loss, checkpoints = mlp()
    optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
    optimizer._set_checkpoints(checkpoints)
    optimizer.minimize(loss)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    feed = {"x": np.random.rand(30, 4).astype("float32"), "y": np.zeros((30, 1), "int64")}
    masks = [exe.run(feed=feed, fetch_list=["dropout_0.tmp_1", "dropout_0.tmp_1.subprog_0"]) for _ in range(2)]
    assert np.array_equal(*masks[0]) and np.array_equal(*masks[1])
    assert not np.array_equal(masks[0][0], masks[1][0])


def test_refusals():
    with pytest.raises(EnforceNotMet, match="optimizer must be an optimizer, got int"):
        fluid.optimizer.RecomputeOptimizer(3)
    optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
    loss, _ = mlp()
    with pytest.raises(EnforceNotMet, match="call _set_checkpoints before"):
        optimizer.minimize(loss)
    with pytest.raises(ArgumentError, match="checkpoints must be a list of variables"):
        optimizer._set_checkpoints(3)
    optimizer._set_checkpoints(["nowhere"])
    with pytest.raises(ArgumentError, match="no operator of the program makes 'nowhere'"):
        optimizer.minimize(loss)
    with fluid.dygraph.guard(), pytest.raises(ModeError, match="works on programs"):
        optimizer.minimize(fluid.dygraph.to_variable(np.zeros(1, "float32")))


def test_what_is_computed_again_is_not_kept():
    loss, checkpoints = mlp()
    optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.1))
    optimizer._set_checkpoints(checkpoints)
    optimizer.minimize(loss)
    source = fluid.default_main_program().to_source(feed=["x", "y"], fetch_list=[loss])
    forward, _, backward = source.partition("mean_0_tmp_0_grad = ")
    assert "del dropout_0_tmp_0\n" in forward and "del fc_1_tmp_2\n" in forward
    assert "fc_1_tmp_2_subprog_0 = relu" in backward and "del fc_0_tmp_2," in backward  # a checkpoint lives on
