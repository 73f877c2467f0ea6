"""Conditions, loops, jumps and logic that declarative translates, run plain and translated."""

import numpy as np
import pytest
from tests.jit.plain_and_translated import DOWN, MIXED, UP, Cases, check, f32

from paddle.fluid import layers

case = Cases()


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


@pytest.mark.parametrize("function, inputs", case, ids=lambda v: getattr(v, "__name__", ""))
def test_a_translated_function_computes_what_the_plain_one_does(function, inputs):
    check(function, inputs)
