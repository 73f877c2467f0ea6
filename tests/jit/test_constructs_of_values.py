"""Calls, casts, numbers and containers that declarative translates, run plain and translated."""

import numpy as np
import pytest
from tests.jit.plain_and_translated import DOWN, UP, Cases, check, f32

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.jit.function import declarative

case = Cases()


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


@pytest.mark.parametrize("function, inputs", case, ids=lambda v: getattr(v, "__name__", ""))
def test_a_translated_function_computes_what_the_plain_one_does(function, inputs):
    check(function, inputs)
