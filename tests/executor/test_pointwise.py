"""Runs of pointwise operators that are one call: the numbers of the kernels, which run where it does not fit.

python -m tests.executor.test_pointwise 0 400
"""

import random
import sys

import numpy as np
import pytest
import torch

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core import flags
from refluid.core.errors import EnforceNotMet
from refluid.executor.executor import to_source
from refluid.executor.pointwise import run
from refluid.executor.pointwise.caller import LARGEST, caller_of
from refluid.executor.pointwise.program import program_of
from refluid.native import call as native
from refluid.ops.pointwise import SCRATCH, Code, NoCode, Opcode, Operand
from refluid.ops.registry import get

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler")

EDGES = [0.0, -0.0, 1e-40, -1e-40, 1e-7, 0.39, 0.41, 9.0, 20.0, 87.0, 88.5, 90.0, 1e30, float("inf")]
EDGES = [*EDGES, *[-x for x in EDGES], float("nan")]

# Operators with the number of their tensors and their attributes.
ROWS = [
    ("sigmoid", 1, {}), ("tanh", 1, {}), ("relu", 1, {}), ("square", 1, {}), ("sigmoid_grad", 2, {}),
    ("tanh_grad", 2, {}), ("relu_grad", 2, {}), ("square_grad", 2, {}), ("elementwise_add", 2, {}),
    ("elementwise_sub", 2, {}), ("elementwise_mul", 2, {}),
    *[("elementwise_add_grad", 3, {"axis": -1, "needs": needs}) for needs in [(True, True), (True, False)]],
    *[
        (name, 3, {"axis": 0, "needs": needs})
        for name in ("elementwise_mul_grad", "elementwise_sub_grad")
        for needs in [(True, True), (True, False), (False, True)]
    ],
    ("scale", 1, {"scale": -1.7, "bias": 0.0}), ("scale", 1, {"scale": 1.0, "bias": 0.3}),
    ("scale", 1, {"scale": -1.0, "bias": 1.0}), ("scale", 1, {"scale": 2.5, "bias": 1.5, "bias_after_scale": False}),
    ("scale_grad", 1, {"scale": 0.7}), ("sum", 2, {}), ("sum", 4, {}), ("concat", 3, {"axis": 1}),
    ("concat", 2, {"axis": -1}),
]  # fmt: skip


def views(rng, rows, columns, count):
    """Tensors of one shape: whole ones, columns of others, one row for all, transposed ones of one column."""
    found = []
    for _ in range(count):
        kind = rng.integers(4)
        if kind == 0:
            found.append(torch.tensor(rng.normal(0, 2, (rows, columns + 7))).float()[:, 3 : columns + 3])
        elif kind == 1:
            found.append(torch.tensor(rng.normal(0, 2, (1, columns))).float().expand(rows, columns))
        else:
            found.append(torch.tensor(rng.normal(0, 2, (rows, columns))).float())
    return found


def both(name, tensors, attrs):
    """What the kernel gives, and what the instructions give."""
    op = get(name)
    kinds = [param.kind for param in op.params]
    code, inputs = Code(tensors[0].dim()), [Operand() for _ in tensors]

    def arguments(values, shape):
        if any(slot.duplicable for slot in op.inputs):
            return [list(values), *[None] * (len(kinds) - 1)]
        values = iter(values)
        return [
            None if op.inputs[param.slot].name == "ScaleTensor" else shape(next(values)) if param.kind == "shape"
            else next(values) for param in op.params
        ]  # fmt: skip

    expected = op.kernel(*arguments(tensors, lambda t: t.shape), **attrs)
    found = op.rules.pointwise(code, *arguments(inputs, lambda x: x), **attrs)
    expected, found = (one if isinstance(one, tuple) else (one,) for one in (expected, found))
    assert [one is None for one in expected] == [one is None for one in found]
    call = caller_of(program_of(code, inputs, [one for one in found if one is not None]), 0)
    return [one for one in expected if one is not None], call(*tensors), call


def compare(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape and a.dtype is b.dtype
        assert torch.equal(torch.isnan(a), torch.isnan(b)) and torch.equal(torch.isinf(a), torch.isinf(b))
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("row", range(len(ROWS)), ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(ROWS)])
def test_an_operator_in_instructions_is_its_kernel(row):
    name, count, attrs = ROWS[row]
    rng = np.random.default_rng(row)
    for rows, columns in [(1, 1), (5, 1), (3, 7), (20, 200), (2, 256), (4, 257), (1, 1000), (64, 256)]:
        tensors = views(rng, rows, columns, count)
        before = [t.clone() for t in tensors]
        expected, found, _ = both(name, tensors, attrs)
        compare(found, expected)
        for a, b in zip(tensors, before, strict=True):
            assert torch.equal(a, b)
        for a, b in zip(found, expected, strict=True):  # what is handed on is the same tensor
            assert [a is t for t in tensors] == [b is t for t in tensors]


@pytest.mark.parametrize("row", range(len(ROWS)), ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(ROWS)])
def test_edge_values_come_out_as_they_do_of_the_kernel(row):
    name, count, attrs = ROWS[row]
    pairs = torch.tensor([(x, y) for x in EDGES for y in EDGES]).t()
    tensors = [pairs[i % 2].reshape(29, -1).contiguous() for i in range(count)]
    if name.endswith(("id_grad", "anh_grad")):
        tensors[0] = torch.tanh(tensors[0])  # the result of the operator
    expected, found, _ = both(name, tensors, attrs)
    compare(found, expected)


def test_every_rule_and_opcode_is_in_the_table():
    from refluid.ops.registry import all_types

    tested = {name for name, _, _ in ROWS}
    assert {name for name in all_types() if get(name).rules.pointwise is not None} == tested
    seen = set()
    for name, count, attrs in ROWS:
        code = Code(2)
        operands = [Operand() for _ in range(count)]
        if name in ("sum", "concat"):
            args = [operands] if name == "sum" else [operands, None]
        else:
            args = [None, *operands] if name == "scale_grad" else [*operands, None] if name == "scale" else operands
        get(name).rules.pointwise(code, *args, **attrs)
        seen.update(one.opcode for one in code.instructions)
    assert seen == set(Opcode)


def test_more_temporaries_than_registers():
    code, inputs = Code(2), [Operand() for _ in range(2)]
    many = [code.times(inputs[0], float(i)) for i in range(2 * SCRATCH)]
    total = inputs[1]
    for one in many:
        total = code.add(total, one)
    x, y = torch.rand(3, 300), torch.rand(3, 300)
    (found,) = caller_of(program_of(code, inputs, [total]), 0)(x, y)
    torch.testing.assert_close(found, y + x * sum(range(2 * SCRATCH)))


def test_tensors_of_more_axes_must_be_contiguous():
    x = torch.rand(2, 3, 4, 5)
    expected, found, call = both("sigmoid", [x], {})
    compare(found, expected)
    assert call(x.contiguous(memory_format=torch.channels_last)) is None
    expected, found, _ = both("concat", [x, x + 1], {"axis": 3})
    compare(found, expected)
    for axis in (0, -2):
        with pytest.raises(NoCode):
            both("concat", [x, x], {"axis": axis})


def test_what_a_call_does_not_take():
    x = torch.rand(4, 6)
    _, _, call = both("elementwise_add", [x, x], {})
    assert call(x, x) is not None
    others = [
        x.double(), x[:, :5], torch.rand(6), x.t().contiguous().t(), None, 1.0, x.int(), x[0, 0], x.to("meta"),
        torch.nn.Parameter(x),
    ]  # fmt: skip
    for other in others:
        assert call(x, other) is None and call(other, x) is None
    for empty in (torch.rand(0, 6), torch.rand(6, 0), torch.rand(2, LARGEST), torch.tensor(1.0)):
        assert call(empty, empty) is None
    torch.set_default_dtype(torch.float64)
    try:
        assert call(x, x) is None
    finally:
        torch.set_default_dtype(torch.float32)


# -- plans ----------------------------------------------------------------------------------------------------------


def data(shape, dtype="float32", seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def cell(x, y):
    return layers.tanh(layers.sigmoid(x) * y + layers.relu(x - y))


def runs_of(program, feed, fetches):
    return to_source(program, feed, fetches).count("= pointwise")


def test_a_run_is_one_call_and_gives_what_the_kernels_give():
    x, y = fluid.data("x", [None, 8]), fluid.data("y", [None, 8])
    out = cell(x, y)
    exe = fluid.Executor(fluid.CPUPlace())
    main = fluid.default_main_program()
    assert "= pointwise(x, y)" in to_source(main, ["x", "y"], [out])
    a, b = data((3, 8)), data((3, 8), seed=1)
    (found,) = exe.run(feed={"x": a, "y": b}, fetch_list=[out])
    s = 1 / (1 + np.exp(-a))
    np.testing.assert_allclose(found, np.tanh(s * b + np.maximum(a - b, 0)), rtol=1e-5, atol=1e-6)


def test_plans_with_few_operators_in_runs_have_none(monkeypatch):
    x = fluid.data("x", [4, 8])
    out = layers.tanh(layers.sigmoid(layers.tanh(x)))
    monkeypatch.setattr(run, "ENOUGH", 3)
    assert "computed = " in to_source(fluid.default_main_program(), feed=["x"], fetch_list=[out])
    monkeypatch.setattr(run, "ENOUGH", 4)
    assert "computed = " not in to_source(fluid.default_main_program(), feed=["x"], fetch_list=[out])


@pytest.mark.parametrize("case", ["two calls", "not optimized", "checks for NaN", "no C++", "LoD", "float64"])
def test_plans_without_runs(case):
    dtype = "float64" if case == "float64" else "float32"
    x, y = fluid.data("x", [None, 8], dtype, lod_level=int(case == "LoD")), fluid.data("y", [None, 8], dtype)
    out = layers.tanh(layers.sigmoid(x)) if case == "two calls" else cell(x, y)
    before = {name: flags.get(name) for name in ("FLAGS_check_nan_inf", "FLAGS_refluid_native")}
    changed = {"checks for NaN": {"FLAGS_check_nan_inf": True}, "no C++": {"FLAGS_refluid_native": False}}
    flags.set_flags(changed.get(case, {}))
    try:
        text = to_source(fluid.default_main_program(), ["x", "y"], [out], optimize=case != "not optimized")
    finally:
        flags.set_flags(before)
    assert "= pointwise" not in text


def test_an_attribute_that_is_no_number_is_refused_by_the_kernel():
    x, block = fluid.data("x", [4, 8]), fluid.default_main_program().global_block()
    scaled = block.create_var(name="scaled", shape=[4, 8], dtype="float32")
    block.append_op(type="scale", inputs={"X": x}, outputs={"Out": scaled}, attrs={"scale": "3"})
    out = layers.relu(layers.tanh(layers.sigmoid(layers.tanh(scaled))))
    with pytest.raises(EnforceNotMet, match="scale must be a number, got '3'"):
        fluid.Executor().run(feed={"x": data((4, 8))}, fetch_list=[out])


def test_other_shapes_on_a_second_run_of_the_same_plan():
    x, y = fluid.data("x", [None, None]), fluid.data("y", [None, None])
    out = cell(x, y)
    grad = fluid.gradients(layers.reduce_sum(out), [x, y])
    exe = fluid.Executor(fluid.CPUPlace())
    names = [out, *grad]
    assert runs_of(fluid.default_main_program(), ["x", "y"], names)
    for shapes in [((4, 8), (4, 8)), ((4, 8), (1, 8)), ((300, 300), (300, 300)), ((2, 1), (2, 1)), ((4, 8), (4, 8))]:
        a, b = data(shapes[0]), data(shapes[1], seed=1)
        found = exe.run(feed={"x": a, "y": b}, fetch_list=names)
        ta, tb = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
        expected = torch.tanh(torch.sigmoid(ta) * tb + torch.relu(ta - tb))
        expected.sum().backward()
        for one, other in zip(found, [expected.detach(), ta.grad, tb.grad], strict=True):
            np.testing.assert_allclose(one, other.numpy(), rtol=1e-4, atol=1e-5)


def test_an_error_tells_of_the_operator_and_its_line():
    x, y = fluid.data("x", [None, 8]), fluid.data("y", [None, None])
    out = layers.tanh(layers.relu(layers.sigmoid(x)) * y)  # this line
    assert runs_of(fluid.default_main_program(), ["x", "y"], [out])
    with pytest.raises(fluid.core.EnforceNotMet) as error:
        fluid.Executor(fluid.CPUPlace()).run(feed={"x": data((3, 8)), "y": data((3, 5))}, fetch_list=[out])
    assert str(error.value).startswith("elementwise_mul: ")
    assert "test_pointwise.py" in str(error.value) and str(error.value).endswith("# this line")


def test_what_is_handed_on_stays_what_it_is_when_it_is_added_to():
    """The gradients of x and y are one tensor in the kernels; each is then used by another."""
    x, y = fluid.data("x", [4, 8]), fluid.data("y", [4, 8])
    x.stop_gradient = y.stop_gradient = False
    out = layers.tanh(layers.sigmoid(x + y) + x)
    names = [out, *fluid.gradients(out, [x, y])]
    assert runs_of(fluid.default_main_program(), ["x", "y"], names)
    a, b = data((4, 8)), data((4, 8), seed=1)
    found = fluid.Executor(fluid.CPUPlace()).run(feed={"x": a, "y": b}, fetch_list=names)
    ta, tb = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
    expected = torch.tanh(torch.sigmoid(ta + tb) + ta)
    expected.sum().backward()
    for one, other in zip(found, [expected.detach(), ta.grad, tb.grad], strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-5, atol=1e-6)


def test_the_profiler_times_operators_one_by_one(capsys, tmp_path):
    x, y = fluid.data("x", [4, 8]), fluid.data("y", [4, 8])
    out = cell(x, y)
    exe = fluid.Executor(fluid.CPUPlace())
    feed = {"x": data((4, 8)), "y": data((4, 8))}
    (before,) = exe.run(feed=feed, fetch_list=[out])
    with fluid.profiler.profiler("CPU", "total", str(tmp_path / "profile")):
        (during,) = exe.run(feed=feed, fetch_list=[out])
    table = capsys.readouterr().out
    assert all(name in table for name in ("sigmoid", "elementwise_mul", "relu", "elementwise_sub", "tanh"))
    np.testing.assert_allclose(during, before, rtol=1e-5, atol=1e-6)


# -- at random ------------------------------------------------------------------------------------------------------


def network(rng, inputs):
    values = list(inputs)

    def some():
        return rng.choice(values[-6:])

    unary = [
        layers.sigmoid, layers.tanh, layers.relu, layers.square,
        lambda v: layers.scale(v, rng.choice([-1.0, 0.5, 1.0]), rng.choice([0.0, 1.0]), rng.random() < 0.5),
    ]  # fmt: skip
    binary = [layers.elementwise_add, layers.elementwise_sub, layers.elementwise_mul]
    for _ in range(rng.randint(6, 25)):
        kind = rng.random()
        if kind < 0.4:
            values.append(rng.choice(unary)(some()))
        elif kind < 0.75:
            values.append(rng.choice(binary)(some(), some()))
        elif kind < 0.85:
            values.append(layers.sums([some() for _ in range(rng.randint(1, 4))]))
        elif kind < 0.93:
            joined = layers.concat([some() for _ in range(rng.randint(1, 3))], 1)
            values.append(layers.fc(joined, 6, param_attr=f"w{len(values)}", bias_attr=False))
        elif kind < 0.96:
            values.append(layers.fc(some(), 6, param_attr=f"w{len(values)}", bias_attr=f"b{len(values)}"))
        else:  # views and broadcasting between them
            values.append(
                layers.split(layers.concat([some(), some()], 1), 2, 1)[1] + layers.reduce_mean(some(), 1, True)
            )
    return values


def check(seed):
    """How many runs the plan has; fails where the numbers differ from those of the kernels."""
    rng = random.Random(seed)
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = seed + 1
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        inputs = [fluid.data(name, [-1, 6]) for name in "xyz"]
        for value in inputs:
            value.stop_gradient = rng.random() < 0.4
        values = network(rng, inputs)
        loss = layers.reduce_mean(layers.sums([values[-1], rng.choice(values)]))
        names = [loss.name]
        if rng.random() < 0.7:
            fluid.backward.append_backward(loss)
            names += [f"{v.name}@GRAD" for v in inputs if main.global_block().has_var(f"{v.name}@GRAD")]
        if rng.random() < 0.4:
            names += [v.name for v in rng.sample(values, 2)]
    feed = {name: data((5, 6), seed=i) for i, name in enumerate("xyz")}
    found = {}
    for on in (False, True):
        flags.set_flags({"FLAGS_refluid_native": on})
        main = main.clone()  # whose plans are its own
        exe = fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            for size in (5, 1, 5):
                part = {name: value[:size] for name, value in feed.items()}
                found.setdefault(on, []).extend(exe.run(main, feed=part, fetch_list=names))
    for a, b in zip(found[False], found[True], strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=1e-6 * max(1, np.abs(a).max()), err_msg=str(seed))
    return runs_of(main, list("xyz"), names)


@pytest.mark.parametrize("start", range(0, 30, 10))
def test_programs_at_random_give_what_the_kernels_give(start):
    assert sum(check(seed) for seed in range(start, start + 10)) >= 10


if __name__ == "__main__":
    run.ENOUGH = 0
    first, last = map(int, sys.argv[1:])
    print(sum(check(seed) for seed in range(first, last)), "runs in", last - first, "programs")
