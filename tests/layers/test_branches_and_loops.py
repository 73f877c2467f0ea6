"""cond, case, switch_case, while_loop, While, IfElse in both modes; saved, loaded and printed."""

import numpy as np
import pytest

import paddle.fluid as fluid

L = fluid.layers
X = np.arange(6, dtype="float32").reshape(2, 3) / 10


def in_program(build, **feed):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        out = build(**{name: fluid.data(name, value.shape, str(value.dtype)) for name, value in feed.items()})
    outs = out if isinstance(out, list | tuple) else [out]
    with fluid.scope_guard(fluid.Scope()):
        return fluid.Executor().run(main, feed=feed, fetch_list=list(outs))


def imperatively(build, **feed):
    with fluid.dygraph.guard():
        out = build(**{name: fluid.dygraph.to_variable(value) for name, value in feed.items()})
        return [one.numpy() for one in (out if isinstance(out, list | tuple) else [out])]


def number(value, dtype="int64"):
    return L.fill_constant([1], dtype, value)


def halved_or_squared(x):
    return L.cond(L.reduce_mean(x) < 1.0, lambda: x * 0.5, lambda: x * x)


def first_case(x):
    mean = L.reduce_mean(x)
    return L.case([(mean < 0.1, lambda: x + 1.0), (mean < 1.0, lambda: x + 2.0)], default=lambda: x + 3.0)


def last_case(x):
    return L.case([(L.reduce_mean(x) < 0.1, lambda: x + 1.0), (L.reduce_mean(x) < 0.2, lambda: x + 2.0)])


def numbered(x):
    index = L.cast(L.reduce_sum(x), "int32")
    return L.switch_case(index, {1: lambda: x + 1.0, 2: lambda: x + 2.0, 11: lambda: x + 11.0})


def listed(x):
    return L.switch_case(L.cast(L.reduce_sum(x), "int64"), [lambda: x, lambda: x + 1.0], default=lambda: x - 1.0)


def looped(x):
    i, (x, total) = L.while_loop(
        lambda i, pair: i < number(4), lambda i, pair: [i + 1, (pair[0] * 2.0, pair[1] + pair[0])],
        [number(0), (x * 1.0, x * 0.0)],
    )  # fmt: skip
    return [i, x, total]


@pytest.mark.parametrize("build", [halved_or_squared, first_case, last_case, numbered, listed, looped])
@pytest.mark.parametrize("shift", [0.0, 0.1, 1.5])
def test_both_modes_agree(build, shift):
    x = X + np.float32(shift)
    for static, imperative in zip(in_program(build, x=x), imperatively(build, x=x), strict=True):
        np.testing.assert_allclose(static, imperative, rtol=1e-6)


def test_values():
    np.testing.assert_allclose(in_program(halved_or_squared, x=X)[0], X / 2)
    np.testing.assert_allclose(in_program(halved_or_squared, x=X + 1)[0], (X + 1) ** 2)
    np.testing.assert_allclose(in_program(numbered, x=X)[0], X + 1)
    np.testing.assert_allclose(in_program(numbered, x=X * 9)[0], X * 9 + 11)  # none fits: the largest number
    i, x, total = in_program(looped, x=X)
    assert i == 4
    np.testing.assert_allclose(x, X * 16)
    np.testing.assert_allclose(total, X * 15, rtol=1e-6)


def test_a_branch_may_be_absent_and_give_nothing():
    calls = []
    in_program(lambda x: [L.cond(L.reduce_mean(x) < 1.0, lambda: calls.append(1)), x][1], x=X)
    assert calls == [1]
    assert imperatively(lambda x: [L.cond(L.reduce_mean(x) > 1.0, lambda: calls.append(2)), x][1], x=X)
    assert calls == [1]


def test_a_program_with_blocks_is_printed_cloned_saved_and_loaded(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 3], "float32")
        _, h = L.while_loop(
            lambda i, h: i < number(3), lambda i, h: [i + 1, L.fc(h, 3, param_attr="w", bias_attr=False)],
            [number(0), x * 1.0],
        )  # fmt: skip
        y = L.cond(L.reduce_mean(h) < 0.0, lambda: h * -1.0, lambda: h + 0.0)
    text = str(main)
    assert 'type: "while"' in text and "idx: 2\n  parent_idx: 0" in text and "block_idx: 1" in text
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        before = exe.run(main.clone(for_test=True), feed={"x": X}, fetch_list=[y.name])[0]
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe, main)
        direct = exe.run(main, feed={"x": X}, fetch_list=[y])[0]
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        after = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)[0]
    np.testing.assert_array_equal(before, direct)
    np.testing.assert_array_equal(after, direct)


def refused(build, says, shift=0.0):
    with pytest.raises(Exception, match=says) as caught:
        in_program(build, x=X + np.float32(shift))
    assert isinstance(caught.value, fluid.core.EnforceNotMet)


def test_branches_may_give_different_dtypes():
    with pytest.warns(UserWarning, match="cond: the branches give different dtypes"):
        for shift, dtype in ((-9.0, "float32"), (9.0, "int64")):
            (found,) = in_program(
                lambda x: L.cond(L.reduce_mean(x) < 1.0, lambda: x, lambda: L.cast(x, "int64")), x=X + np.float32(shift)
            )
            assert found.dtype == dtype


def test_refusals():
    refused(
        lambda x: L.cond(x < 1.0, lambda: x, lambda: x), r"cond: pred must have one element, got the shape \[2, 3\]"
    )
    refused(lambda x: L.cond(L.reduce_mean(x), lambda: x, lambda: x), "cond: pred must be bool, got float32")
    refused(lambda x: L.cond(True, lambda: x, lambda: x), "cond: pred must be a Variable, got bool")
    refused(lambda x: L.cond(L.reduce_mean(x) < 1.0, x, x), "cond: true_fn must be a function or None, got Variable")
    refused(lambda x: L.cond(L.reduce_mean(x) < 1.0, lambda: x, lambda: [x]), "true_fn gives . and false_fn")
    refused(lambda x: L.cond(L.reduce_mean(x) < 1.0, lambda: x, lambda: None), "same structure")
    refused(lambda x: L.cond(L.reduce_mean(x) < 1.0, lambda: 1, lambda: 2), "fluid.layers.fill_constant")
    refused(lambda x: L.case([]), "case: pred_fn_pairs must be a list")
    refused(lambda x: L.case([x]), "case: each of pred_fn_pairs must be a tuple")
    refused(lambda x: L.switch_case(L.reduce_sum(x), [lambda: x]), "branch_index must be int32, int64 or uint8")
    refused(lambda x: L.switch_case(number(1), {}), "switch_case: branch_fns must be a dict or a list")
    refused(lambda x: L.switch_case(number(1), [(1, lambda: x), (1, lambda: x)]), "the number 1 twice")
    refused(lambda x: L.while_loop(lambda x: x, lambda x: x, [x])[0], "what cond gives must be bool, got float32")
    refused(
        lambda x: L.while_loop(lambda x: L.reduce_mean(x) < 1.0, lambda x: [x, x], [x])[0], "give 1 variables, got 2"
    )
    refused(lambda x: L.while_loop(lambda x: L.reduce_mean(x) < 1.0, lambda x: x, []), "loop_vars must be a list")
    refused(
        lambda x: L.while_loop(lambda x: L.reduce_mean(x) < 1.0, lambda x: L.cast(x, "int64"), [x])[0],
        "the dtype must stay",
    )


def test_a_loop_whose_condition_nobody_writes_is_refused():
    def build(x):
        loop = L.While(L.reduce_mean(x) < 1.0)
        with loop.block():
            x + 1.0
        return x

    refused(build, "the block never writes the condition .*, so the loop would not end")


@pytest.mark.parametrize("name", ["While", "IfElse"])
def test_what_builds_blocks_says_so_in_the_imperative_mode(name):
    with fluid.dygraph.guard(), pytest.raises(fluid.core.EnforceNotMet, match=f"{name}: it builds"):
        getattr(L, name)(fluid.dygraph.to_variable(np.array([True])))


def test_an_error_inside_a_loop_names_the_operator_and_the_line():
    def build(x):
        def grow(i, h):
            return [i + 1, L.concat([h, h], axis=1)]

        return L.while_loop(lambda i, h: i < number(2), grow, [number(0), x * 1.0])[1] + x

    with pytest.raises(fluid.core.EnforceNotMet) as caught:
        in_program(build, x=X)
    assert "elementwise_add" in str(caught.value) and "test_branches_and_loops.py" in str(caught.value)


def test_a_switch_of_many_cases_is_as_quick_to_plan_as_its_blocks_are_many():
    """Every level was asked twice for what the level below reads: 16 cases took a minute, 20 a quarter of an hour."""
    cases = {i: lambda i=i: L.fill_constant([1], "float32", float(i)) for i in range(40)}
    (found,) = in_program(lambda index: L.switch_case(index, cases), index=np.array([37], "int32"))
    assert found == 37


def test_loops_deeper_than_python_takes_are_refused_in_words():
    def build(depth):
        if depth == 0:
            return number(1)
        return L.while_loop(lambda i: L.less_than(i, number(1)), lambda i: [build(depth - 1)], [number(0)])[0]

    with pytest.raises(fluid.core.EnforceNotMet, match="blocks of the program are nested too deeply"):
        in_program(lambda: build(25))
