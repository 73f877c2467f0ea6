"""Every construct of Python that declarative translates, run plain and translated: same values, same gradients."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import to_variable
from refluid.jit.function import declarative

CASES = []


def case(*inputs):
    """Registers a function to be run on each of the inputs (numpy arrays, or tuples of arguments)."""

    def register(function):
        CASES.append((function, inputs))
        return function

    return register


def f32(*values):
    return np.array(values, "float32")


UP, DOWN = f32([1.0, 2.0], [3.0, 4.0]), f32([-1.0, -2.0], [-3.0, -4.0])
MIXED = f32([1.0, -5.0], [3.0, 0.5])


# -- if ---------------------------------------------------------------------------------------------------------------


@case(UP, DOWN)
def if_else(x):
    if layers.mean(x) > 0:
        y = x - 1
    else:
        y = x * 3
    return y


@case(UP, DOWN, MIXED)
def elif_chain(x):
    total = layers.reduce_sum(x)
    if total > 5:
        y = x * 2
    elif total > -1:
        y = x * x
    elif total > -100:
        y = x - 7
    else:
        y = x
    return y + 1


@case(UP, DOWN)
def if_without_else_changes_what_is_there(x):
    y = x * 2
    if layers.mean(x) > 0:
        y = y + x
    return y


@case(UP, DOWN, MIXED)
def nested_ifs(x):
    y = x
    if layers.mean(x) > 0:
        if layers.reduce_max(x) > 3.5:
            y = y * 2
        else:
            y = y * 3
        y = y + 1
    return y


@case(UP, DOWN)
def numbers_in_branches(x):
    factor = 1.0
    if layers.mean(x) > 0:
        factor = 2.5
    return x * factor


@case(UP, DOWN)
def several_names_in_branches(x):
    if layers.mean(x) > 0:
        a, b = x, x + 1
        c = 3
    else:
        b, a = x, x - 1
        c = 3
    return a * b + c


@case(UP, DOWN)
def containers_in_branches(x):
    state = {"h": x, "c": [x, x]}
    if layers.mean(x) > 0:
        state["h"] = x * 2
        state["c"] = [x, x + 1]
    return state["h"] + state["c"][1]


@case((UP, True), (UP, False), (DOWN, True))
def python_conditions_stay_python(x, double):
    if double:
        x = x * 2
    if x is not None and isinstance(double, bool):
        x = x + 1
    return x


# -- while and for ----------------------------------------------------------------------------------------------------


@case(f32(1.0), f32(7.0), f32(100.0))
def while_on_a_tensor(x):
    while x < 50:
        x = x * 2
    return x


@case(f32(3.0), f32(0.0))
def while_counts_with_a_python_number(n):
    i = 0
    total = n * 0
    while i < n:
        total = total + n
        i += 1
    return total


@case(f32(1.0))
def while_on_python(x):
    i = 0
    while i < 3:
        x = x * 2 + i
        i += 1
    return x


@case((f32(1.0, 2.0), np.array([4], "int64")), (f32(1.0, 2.0), np.array([0], "int64")))
def for_over_a_tensor_range(x, n):
    total = 0
    for _ in range(n):
        total = total + x * x
    return total + x


@case((f32(1.0, 2.0), np.array([7], "int64")))
def for_over_a_range_with_start_and_step(x, n):
    total = x * 0
    for i in range(1, n, 2):
        total = total + x * i
    for i in range(n, 0, -3):
        total = total - x * i
    return total


@case(f32([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]))
def for_over_a_tensor(x):
    total = 0.0
    for row in x:
        total = total * 2 + row
    return total


@case(f32(2.0, 3.0))
def for_over_lists_enumerate_and_zip(x):
    total = x
    for i, factor in enumerate([1.0, 2.0, 4.0]):
        total = total * factor + i
    for a, b in zip([1, 2], (x, x * x), strict=True):
        total = total + a * b
    for key, value in {"a": 1.0, "b": 2.0}.items():
        total = total + value * len(key)
    return total


@case(f32([1.0, 2.0], [3.0, 4.0]))
def enumerate_over_a_tensor(x):
    total = x[0] * 0
    for i, row in enumerate(x):
        total = total + row * i
    return total


@case((f32(1.0), np.array([3], "int64")))
def nested_loops(x, n):
    total = x * 0
    for _ in range(n):
        for k in range(2):
            total = total + x * k
        j = 0
        while j < n:
            total = total + x
            j += 1
    return total


@case((f32(1.0), f32(2.0)))
def loop_variables_that_change_places(a, b):
    while a + b < 40:
        a, b = a + b, a
    return a - b


@case((f32(1.0, 2.0), np.array([3], "int64")))
def if_inside_a_tensor_loop(x, n):
    y = x
    i = 0
    while i < n:
        if layers.reduce_sum(y) > 5:
            y = y * 0.5
        else:
            y = y * 3
        i = i + 1
    return y


@case((f32([1.0], [2.0]), np.array([3], "int64")))
def tensors_that_grow_in_a_loop(x, n):
    y = x
    i = 0
    while i < n:
        y = layers.concat([y, x], axis=1)
        i += 1
    return 1.0 / y, 3 - y, 2.0**y


# -- break, continue, return ------------------------------------------------------------------------------------------


@case(f32(1.0), f32(20.0))
def break_in_a_while(x):
    while x < 100:
        x = x * 2
        if x > 30:
            break
        x = x + 1
    return x


@case(f32(1.0), f32(20.0))
def break_out_of_while_true(x):
    while True:
        x = x + x
        if x > 30:
            break
    return x


@case((f32(1.0), np.array([5], "int64")))
def break_and_continue_in_a_tensor_loop(x, n):
    total = x * 0
    for i in range(n):
        if i == 1:
            continue
        if total > 3:
            break
        total = total + x + x * i
    return total


@case(f32(1.0), f32(-3.0))
def tensor_break_in_a_python_loop(x):
    for factor in [1.0, 2.0, 3.0, 4.0]:
        if x > 5:
            break
        x = x * factor + 1
    return x


@case(f32(2.0))
def python_break_continue_and_else(x):
    for i in range(5):
        if i == 1:
            continue
        if i == 3:
            break
        x = x * (i + 1)
    else:
        x = x * 1000
    for _ in range(2):
        x = x + 1
    else:
        x = x * 10
    return x


@case(UP, DOWN)
def early_return(x):
    if layers.mean(x) > 0:
        return x * 2
    y = x + 5
    return y * y


@case(UP, DOWN, MIXED)
def returns_in_nested_branches(x):
    if layers.mean(x) > 0:
        if layers.reduce_max(x) > 3.5:
            return x * 2
        x = x + 1
    elif layers.reduce_min(x) < -3.5:
        return x * 3
    return x - 1


@case(f32(1.0), f32(-50.0))
def return_inside_a_tensor_loop(x):
    i = 0
    while i < 10:
        x = x + 3
        if x > 10:
            return x * 2
        i += 1
    return x * 100


@case(f32(2.0))
def return_inside_a_python_loop(x):
    for i in range(10):
        x = x * 2
        for k in range(3):
            if i * k == 4:
                return x + k
    return x


@case((f32(1.0), np.array([3], "int64")), (f32(-9.0), np.array([3], "int64")), (f32(1.0), np.array([0], "int64")))
def return_inside_a_tensor_range(x, n):
    for i in range(n):
        y = x + x * i
        if -5 < y < 4:
            return layers.tanh(y * -1.0)
    return x * x


@case((f32(1.0), np.array([2], "int64")), (f32(-2.0), np.array([2], "int64")), (f32(1.0), np.array([0], "int64")))
def loops_in_branches_in_loops(x, n):
    y = x
    for i in range(n):
        if y > 0:
            k = 0
            while k < 3 and y < 20:
                k += 1
                y = y * x + layers.tanh(y)
                if y > 8:
                    break
                if x > 5:
                    continue
                y = y + 1
        else:
            y = y * i - layers.tanh(x) if y > -1 else x
    return x + y


@case((UP, None), (UP, DOWN))
def returns_of_different_kinds_by_python(x, label):
    if label is not None:
        return x, label
    else:
        return x


# -- logic ------------------------------------------------------------------------------------------------------------


@case(f32(1.0), f32(5.0), f32(-5.0))
def and_or_not(x):
    if x > 0 and x < 3:
        x = x * 2
    if x < -1 or x > 4:
        x = x - 10
    if not x > 0:
        x = -x
    return x


@case((f32(1.0), True), (f32(1.0), False))
def mixed_logic(x, flag):
    if flag and x > 0:
        x = x * 3
    if flag or x > 100:
        x = x + 1
    return x


@case(f32(1.0), f32(5.0), f32(-5.0))
def chained_comparisons(x):
    if 0 < x < 3:
        return x * 2
    if -10 < x <= 0 < 3:
        return x * 3
    return x


@case(f32(1.0), f32(-1.0))
def conditional_expressions(x):
    y = x * 2 if x > 0 else x * 3
    k = 1 if y is None else 2
    return y * k + (1.0 if x > 5 else -1.0)


# -- calls, casts, lists ----------------------------------------------------------------------------------------------


def helper(x):
    if layers.mean(x) > 0:
        return x * 2
    return x


def outer_helper(x, times):
    for _ in range(times):
        x = helper(x)
    return x


@case(UP, DOWN)
def calls_plain_functions(x):
    return outer_helper(x, 2) + helper(x)


@declarative
def decorated_helper(x):
    if layers.mean(x) > 0:
        return x + 1
    return x - 1


@case(UP, DOWN)
def calls_decorated_functions(x):
    return decorated_helper(x) * 2


@case(UP, DOWN)
def nested_functions_and_closures(x):
    factor = 3.0

    def inner(v):
        nonlocal factor
        if layers.mean(v) > 0:
            return v * factor
        factor = 5.0
        return v + x

    y = inner(x)
    return y * (lambda v: v if factor > 0 else 0)(2.0)


def power(x, n):
    if n == 0:
        return x * 0 + 1
    return x * power(x, n - 1)


@case(f32(2.0))
def recursion_to_a_bound(x):
    return power(x, 4)


@case(f32(2.7), f32(-2.7))
def casts_and_len(x):
    n = int(x)
    y = float(n) + x * len(x)
    if bool(x):
        y = y + 1
    return y


@case(f32(2.0, 3.0))
def list_append_and_pop_in_python(x):
    parts = []
    for i in range(3):
        parts.append(x * i)
    parts.pop()
    parts.insert(0, x)
    return layers.concat(parts, axis=0)


@case((f32(1.0, 2.0), np.array([3], "int64")), (f32(1.0, 2.0), np.array([1], "int64")))
def list_append_in_a_tensor_loop(x, n):
    parts = [x]
    for i in range(n):
        parts.append(x * i)
    return layers.concat(parts, axis=0)


@case(f32(2.0), f32(-2.0))
def list_append_in_a_branch(x):
    parts = [x]
    if x > 0:
        parts.append(x * 2)
        parts.append(x * 3)
    else:
        parts[0] = x
    return layers.concat(parts, axis=0) * len(parts)


@case(f32(1.0), f32(3.0), f32(50.0))
def list_append_before_a_tensor_break(x):
    tokens = []
    for i in range(4):
        x = x * 2
        tokens.append(x + i)
        if x > 9:
            break
    last = tokens[-1]
    for token in tokens:
        last = last + token
    return layers.concat(tokens, axis=0), last


@case((f32(2.0), np.array([3], "int64")), (f32(-2.0), np.array([3], "int64")))
def lists_read_and_grown_in_branches_of_loops(x, n):
    parts = [x]
    y = x
    for i in range(n):
        if x > 0:
            y = parts[0] * 2 + i
        parts.append(y)
        y = y + parts[-1]
    if x > 1:
        parts.append(x)
        y = y + parts[0] * 2
    return y


@case((f32(1.0, 2.0), np.array([3], "int64")))
def list_pop_in_a_tensor_loop(x, n):
    parts = []
    for _ in range(n):
        parts.append(x)
        x = x * 2
    total = x * 0
    while len(parts) > 1:
        total = total + parts.pop()
    return total


@case(UP, DOWN)
def shapes(x):
    rows, columns = x.shape
    y = layers.reshape(x, [x.shape[0] * x.shape[1]])
    if x.shape[0] > 1 and len(x.shape) == 2:
        y = y * rows
    return y + columns


@case(f32(3.0))
def comprehensions(x):
    return sum([x * i for i in range(4) if i != 2]) + max(x, x * 2) - min([x, 7.0])


@case(f32(3.0))
def assertions_and_prints(x):
    assert x > 0, "positive"
    assert len(x.shape) == 1
    return x * 2


@case(f32(3.0), f32(-3.0))
def no_gradient_inside(x):
    with fluid.dygraph.no_grad():
        weight = x * 2
    if x > 0:
        x = x * weight.detach()
    return x


@case(f32(1.0), f32(-1.0))
def augmented_assignments(x):
    y = x * 1
    y += x
    y *= 3
    if y > 0:
        y -= 1
        y /= 2
    return y


@case(f32(1.5), f32(-1.5))
def with_and_try(x):
    try:
        if x > 0:
            y = x * 2
        else:
            y = x * 4
    finally:
        x = x + 1
    return y + x


@case((f32([1.0, 2.0], [3.0, 4.0]), 3))
def keyword_and_star_arguments(x, n):
    def add(*values, scale=1.0, **more):
        total = values[0]
        for value in values[1:]:
            total = total + value
        return total * scale + more.get("bias", 0.0)

    return add(*[x] * n, scale=0.5, **{"bias": 1.0})


@case(f32(2.0), f32(-2.0))
def annotated_and_starred_assignments(x):
    y: float = x
    if x > 0:
        y: float = x * 2
        first, *rest = [x, y, y]
    else:
        first, *rest = [y, x, x]
    z: int
    z = 3
    return first * z + rest[1]


@case((f32(2.0), "double"), (f32(2.0), "none"), (f32(-2.0), "double"))
def match_on_python(x, how):
    match how:
        case "double":
            if x > 0:
                return x * 2
            x = x - 1
        case _:
            x = x + 1
    return x * 3


@case(f32(2.0), f32(-2.0))
def exceptions_and_contexts(x):
    total = x
    for key in ["a", "b", "c"]:
        try:
            value = {"a": 1.0, "c": 3.0}[key]
        except KeyError:
            continue
        with fluid.name_scope(key):
            if total > 10:
                break
            total = total * value
    return total


@case(f32(2.0), f32(-2.0))
def classes_and_defaults_inside(x):
    class Scaled:
        factor = 2.0

        def apply(self, v):
            return v * self.factor

    scaled = Scaled()

    def twice(v, times=2, *more, scale=scaled):
        for _ in range(times):
            v = scale.apply(v)
        return v if v > 0 else v - len(more)

    return twice(x) + twice(x, 1, 5, 6)


@case(f32(2.0), f32(-2.0), f32(0.0))
def values_of_and_and_or(x):
    first, second = x or 3.0, x and x * 2
    third = (x > 0 and x < 5) or x == -2
    return first + second + (0.5 if third else 0.25), x * (x or None or x + 1)


@case(f32(2.0), f32(-2.0))
def names_assigned_in_conditions(x):
    while (y := x * 2) < 20:
        x = x + y * y + 1
        if (z := y + x) > 15:
            continue
        x = x + z * 0.5
    return x + y


@case(f32(1.0), f32(2.0), f32(-3.0))
def membership(x):
    if x in [1.0, 5.0]:
        x = x * 2
    if 2.0 in layers.concat([x, x + 1]) and 7 not in (3, 4):
        x = x + 10
    return x * 2 if x not in (4.0, -3.0) else x


@case(f32(1.0), f32(7.0), f32(-3.0))
def any_and_all(x):
    if any([x > 5, x < 0]) and any([False, True]):
        x = x * 2
    return x + 1 if all([x > 0, True, x < 9]) else x - 1


@case(f32(1.0), f32(-3.0))
def deleted_names(x):
    y, parts = x * 2, {"a": x, "b": x}
    if x > 0:
        z = y
        del z, y
        x = x * 2
    del parts["a"]
    return x + len(parts)


@case(f32(1.0), f32(-3.0))
def containers_inside_containers(x):
    state = {"h": [x, x * 2], "c": ({"k": x},)}
    if x > 0:
        state["h"][1] = x * 3
        state["c"][0]["k"] = x + 1
    for _ in range(2):
        state["h"][0] += state["c"][0]["k"]
    while state["h"][0] < 50:
        state["h"][0] = state["h"][0] * 2 + 60
    return state["h"][0] + state["h"][1] * state["c"][0]["k"]


@case(f32(1.4), f32(-2.6))
def python_of_its_own(x):
    def numbers(n):
        yield from range(n)

    factor = 1 if isinstance(x, fluid.core.VarBase) else 100
    seen = {0}
    for i in numbers(3):
        seen.add(i)
        x = x * factor + i if x > i else x - 1
    return x * len(seen) + round(float(x))


@case((f32(3.0), np.array([0])), (f32(3.0), np.array([1])), (f32(3.0), np.array([4])))
def numbers_that_widen_from_round_to_round(x, n):
    a = b = c = 1
    i = 0
    while i < n:
        c, b, a = b, a, a / 2
        i += 1
    return x * a + b * 10 + c * 100


def run(function, args):
    """The outputs of a call and the gradients of its floating inputs."""
    given = [to_variable(a) if isinstance(a, np.ndarray) else a for a in args]
    tensors = [a for a, raw in zip(given, args, strict=True) if isinstance(raw, np.ndarray)]
    floating = [t for t in tensors if t.numpy().dtype == np.float32]
    for one in floating:
        one.stop_gradient = False
    out = function(*given)
    outs = list(out) if isinstance(out, tuple) else [out]
    loss = sum(layers.reduce_sum(o * o) for o in outs)
    loss.backward()
    return [o.numpy() for o in outs], [t.gradient() for t in floating]


@pytest.mark.parametrize("function, inputs", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_a_translated_function_computes_what_the_plain_one_does(function, inputs):
    translated = declarative(function)
    with fluid.dygraph.guard():
        for one in inputs:
            args = one if isinstance(one, tuple) else (one,)
            for round_ in range(2):  # the second call runs the program of the first
                plain, plain_grads = run(function, args)
                ours, our_grads = run(translated, args)
                assert len(plain) == len(ours)
                for a, b in zip(plain, ours, strict=True):
                    np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-6, err_msg=f"round {round_}")
                for a, b in zip(plain_grads, our_grads, strict=True):
                    np.testing.assert_allclose(
                        np.zeros_like(a) if b is None else b, a, rtol=1e-6, atol=1e-6, err_msg=f"gradients, {round_}"
                    )
