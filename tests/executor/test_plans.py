"""Plans: made once, made anew when the program has changed, and readable."""

import gc
import linecache

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from refluid.executor import executor as executor_module
from refluid.executor.plan import Plan

F32 = np.float32


@pytest.fixture
def built(monkeypatch):
    """The plans that were made."""
    made = []

    class Counted(Plan):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            made.append(self)

    monkeypatch.setattr(executor_module, "Plan", Counted)
    return made


@pytest.fixture
def exe():
    return fluid.Executor()


def feed(rows=1):
    return {"x": np.ones((rows, 2), F32)}


def test_a_plan_is_made_once_whatever_the_batch_size_executor_and_scope(built, exe):
    out = fluid.layers.scale(fluid.data("x", [None, 2]), 2.0)
    for rows in (1, 2, 7):
        exe.run(feed=feed(rows), fetch_list=[out])
    fluid.Executor().run(feed=feed(), fetch_list=[out.name])
    with fluid.scope_guard(fluid.Scope()):
        exe.run(feed=feed(), fetch_list=[out])
    assert len(built) == 1


def test_other_fetches_need_another_plan_and_both_are_kept(built, exe):
    x = fluid.data("x", [None, 2])
    a, b = fluid.layers.scale(x, 2.0), fluid.layers.scale(x, 3.0)
    for _ in range(2):
        exe.run(feed=feed(), fetch_list=[a])
        exe.run(feed=feed(), fetch_list=[b])
    assert len(built) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda block: fluid.layers.scale(block.var("x"), 3.0),
        lambda block: block.ops[0]._set_attr("scale", 5.0),
        lambda block: block._insert_op(0, "scale", {"X": "x"}, {"Out": "x"}, {"scale": 2.0}),
    ],
)
def test_a_changed_program_gets_a_new_plan(built, exe, change):
    out = fluid.layers.scale(fluid.data("x", [None, 2]), 2.0)
    exe.run(feed=feed(), fetch_list=[out])
    change(fluid.default_main_program().global_block())
    exe.run(feed=feed(), fetch_list=[out])
    exe.run(feed=feed(), fetch_list=[out])
    assert len(built) == 2


def test_old_plans_of_a_changed_program_are_dropped(built, exe):
    out = fluid.layers.scale(fluid.data("x", [None, 2]), 2.0)
    for _ in range(5):
        exe.run(feed=feed(), fetch_list=[out])
        fluid.layers.scale(out, 2.0)
    assert len(built) == 5
    assert len(fluid.default_main_program().plans) == 2  # the last one and its version


def test_a_plan_made_before_the_parameters_exist_finds_them_later(exe):
    out = fluid.layers.fc(fluid.data("x", [None, 2]), 1)
    with pytest.raises(fluid.core.EnforceNotMet, match="run the startup program first"):
        exe.run(feed=feed(), fetch_list=[out])
    exe.run(fluid.default_startup_program())
    assert exe.run(feed=feed(), fetch_list=[out])[0].shape == (1, 1)


def test_a_scope_whose_variables_were_erased_is_bound_anew(exe):
    out = fluid.layers.fc(fluid.data("x", [None, 2]), 1, bias_attr=False, param_attr="w")
    exe.run(fluid.default_startup_program())
    exe.run(feed=feed(), fetch_list=[out])
    fluid.global_scope().erase(["w"])
    exe.run(fluid.default_startup_program())
    fluid.global_scope().find_var("w").get_tensor().set(np.full((2, 1), 4, F32), fluid.CPUPlace())
    assert exe.run(feed=feed(), fetch_list=[out])[0].tolist() == [[8.0]]


def test_to_source_shows_the_function_with_the_users_lines():
    x = fluid.data("x", [None, 2])
    label = fluid.data("label", [None, 1])
    out = fluid.layers.fc(x, 1)
    loss = fluid.layers.mean(fluid.layers.square_error_cost(out, label))
    fluid.optimizer.SGD(0.1).minimize(loss)
    source = fluid.default_main_program().to_source(fetch_list=[loss])
    lines = source.split("\n")
    assert lines[0] == "def run(feeds, lods, scope):"
    assert "    x = feeds[0]" in lines and "    label = feeds[1]" in lines
    (product,) = [line for line in lines if "mul_bias(x, fc_0_w_0, fc_0_b_0)" in line]
    assert "# test_plans.py:" in product
    assert any(
        line.startswith("    sgd_all([fc_0_b_0, fc_0_w_0], [learning_rate_0, learning_rate_0], [") for line in lines
    )
    assert lines[-2].startswith("    return (mean_0_tmp_0,), (None,)")
    compile(source, "plan", "exec")


def test_temporaries_are_deleted_after_their_last_use():
    x = fluid.data("x", [None, 2])
    out = fluid.layers.exp(fluid.layers.abs(fluid.layers.square(x)))
    lines = [
        line.split("  #")[0].strip() for line in fluid.default_main_program().to_source(fetch_list=[out]).split("\n")
    ]
    assert lines[2:7] == [
        "square_0_tmp_0 = square(x)", "del x", "abs_0_tmp_0 = abs(square_0_tmp_0)", "del square_0_tmp_0",
        "exp_0_tmp_0 = exp(abs_0_tmp_0)",
    ]  # fmt: skip


def test_names_that_are_no_identifiers_become_some(exe):
    x = fluid.data("class", [None, 1])
    y = fluid.data("0/a b", [None, 1])
    out = fluid.layers.elementwise_add(x, y)
    feed = {"class": np.ones((1, 1), F32), "0/a b": np.ones((1, 1), F32)}
    assert exe.run(feed=feed, fetch_list=[out])[0].tolist() == [[2.0]]


def test_the_text_of_a_plan_that_is_gone_stays_until_the_next_one():
    """linecache.checkcache walks over its entries, and the garbage collector may run meanwhile."""

    def plan():
        program = fluid.Program()
        with fluid.program_guard(program):
            out = fluid.layers.scale(fluid.data("x", [None, 2]), 2.0)
        return Plan(program, ("x",), frozenset(), (out.name,), torch.device("cpu"))

    first = plan()
    name = first.filename
    del first
    gc.collect()
    assert name in linecache.cache
    plan()
    assert name not in linecache.cache
