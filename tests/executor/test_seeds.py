"""The same seed gives the same run, in this process and in any other; see Note [Seeds] in core/random.py."""

import os
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid

PROGRAM = """
import numpy as np
import paddle.fluid as fluid

fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 3
x = fluid.data("x", [None, 4])
out = fluid.layers.dropout(fluid.layers.fc(x, 8), 0.5)
noise = fluid.layers.uniform_random([3])
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
for _ in range(2):
    for found in exe.run(feed={"x": np.ones((2, 4), np.float32)}, fetch_list=[out, noise]):
        print(found.tobytes().hex())
"""


def run(fetch, feed=None, times=1, main_seed=None):
    main = fluid.default_main_program()
    if main_seed is not None:
        main.random_seed = main_seed
    exe = fluid.Executor()
    return [exe.run(main, feed=feed, fetch_list=fetch)[0] for _ in range(times)]


def test_two_processes_agree_bit_by_bit():
    printed = []
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True, text=True, check=True, timeout=120, env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )  # fmt: skip
        printed.append(ran.stdout)
    assert printed[0] == printed[1] and len(printed[0].split()) == 4


def test_an_operator_with_its_own_seed_gives_the_same_numbers_every_time():
    noise = fluid.layers.gaussian_random([4], seed=9)
    first, second = run([noise], times=2)
    assert np.array_equal(first, second)


def test_without_a_seed_numbers_go_on():
    noise = fluid.layers.gaussian_random([4])
    first, second = run([noise], times=2)
    assert not np.array_equal(first, second)


def test_dropout_goes_on_from_run_to_run_and_starts_again_with_the_seed():
    x = fluid.data("x", [None, 50])
    out = fluid.layers.dropout(x, 0.5)
    feed = {"x": np.ones((1, 50), np.float32)}
    first = run([out], feed, times=2, main_seed=4)
    again = run([out], feed, times=2, main_seed=4)
    assert not np.array_equal(first[0], first[1])
    assert np.array_equal(first, again)


def test_a_seed_set_after_building_counts():
    fluid.layers.fc(fluid.data("x", [None, 4]), 3, param_attr="w")
    startup, found = fluid.default_startup_program(), []
    for seed in (1, 1, 2):
        startup.random_seed = seed
        fluid.Executor().run(startup)
        found.append(np.array(fluid.global_scope().find_var("w").get_tensor()))
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])


@pytest.mark.parametrize("before, alike", [(True, True), (False, False)])
def test_layers_of_one_shape_start_alike_only_where_the_seed_was_set_before_building(before, alike):
    """As in Fluid, a seed set before building stands on every initializer, and equal ones draw equal numbers."""
    startup = fluid.default_startup_program()
    if before:
        startup.random_seed = 1
    x = fluid.data("x", [None, 4])
    fluid.layers.fc(x, 4, param_attr="a", bias_attr=False)
    fluid.layers.fc(x, 4, param_attr="b", bias_attr=False)
    startup.random_seed = 1
    fluid.Executor().run(startup)
    a, b = (np.array(fluid.global_scope().find_var(name).get_tensor()) for name in "ab")
    assert np.array_equal(a, b) == alike


def test_a_seed_that_is_no_int_is_refused():
    with pytest.raises(fluid.core.EnforceNotMet, match="random_seed must be an int, got str"):
        fluid.default_main_program().random_seed = "1"
