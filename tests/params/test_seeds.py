"""What begins alike: parameters and masks under the seed of the main program."""

import numpy as np
import pytest

import paddle.fluid as fluid

D = fluid.dygraph


def _seed(seed):
    fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = seed


@pytest.mark.parametrize("make", [lambda: D.Linear(3, 2), lambda: D.Conv2D(2, 3, 3), lambda: D.Embedding([4, 2])])
def test_parameters_of_one_shape_begin_alike_under_a_seed(make):
    with D.guard():
        assert (make().weight.numpy() != make().weight.numpy()).any()
        _seed(5)
        assert (make().weight.numpy() == make().weight.numpy()).all()


def test_a_seed_gives_the_same_parameters_in_both_modes():
    with D.guard():
        _seed(5)
        imperative = D.Linear(3, 2).weight.numpy()
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        _seed(5)
        weight = D.Linear(3, 2).weight
        fluid.Executor().run(startup)
        assert (np.array(fluid.global_scope().find_var(weight.name).get_tensor()) == imperative).all()


def test_every_call_of_dropout_forgets_the_same_under_a_seed():
    with D.guard():
        x, layer = D.to_variable(np.ones((8, 8), "float32")), D.Dropout(0.5)
        assert (layer(x).numpy() != layer(x).numpy()).any()
        _seed(5)
        assert (layer(x).numpy() == layer(x).numpy()).all()
        assert (D.Dropout(0.5, seed=3)(x).numpy() != layer(x).numpy()).any()
