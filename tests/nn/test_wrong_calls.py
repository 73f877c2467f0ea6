"""Every layer class called wrongly: each call is refused with words of ours and changes nothing."""

import inspect
import re

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

D, nn = fluid.dygraph, paddle.nn

# A layer, the shapes it takes (with a dtype where that is not float32), and which wrong calls it takes all the same.
ROWS = {
    "Linear": (lambda: D.Linear(4, 3), [(2, 4)], "rank-1 rank+1 empty"),
    "FC": (lambda: D.FC("fc", 3), [(2, 4)], "rank+1 empty list"),
    "Conv2D": (lambda: D.Conv2D(3, 4, 3), [(2, 3, 8, 8)], "empty"),
    "Conv2D of 1.5": (lambda: D.Conv2D("conv", 4, 3), [(2, 3, 8, 8)], "empty"),
    "Conv2DTranspose": (lambda: D.Conv2DTranspose(3, 4, 3), [(2, 3, 8, 8)], "empty"),
    "Conv3D": (lambda: D.Conv3D(3, 4, 3), [(2, 3, 5, 5, 5)], "empty"),
    "Conv3DTranspose": (lambda: D.Conv3DTranspose(3, 4, 3), [(2, 3, 5, 5, 5)], "empty"),
    "Pool2D": (lambda: D.Pool2D(2, "max", 2), [(2, 3, 8, 8)], "empty float64"),
    "BatchNorm": (lambda: D.BatchNorm(3), [(2, 3, 8, 8)], ""),
    "InstanceNorm": (lambda: D.InstanceNorm(3), [(2, 3, 8, 8)], "empty"),
    "LayerNorm": (lambda: D.LayerNorm([8, 8]), [(2, 3, 8, 8)], "rank-1 rank+1 empty"),
    "GroupNorm": (lambda: D.GroupNorm(4, 2), [(2, 4, 6, 8)], "rank+1 rank-1 empty float64"),
    "SpectralNorm": (lambda: D.SpectralNorm([4, 6]), [(4, 6)], ""),
    "Embedding": (lambda: D.Embedding([5, 2]), [(3, 1, "int64")], "rank-1 rank+1 empty"),
    "Dropout": (lambda: D.Dropout(0.5), [(2, 4)], "rank-1 rank+1 empty float64"),
    "PRelu": (lambda: D.PRelu("channel", channel=3), [(2, 3, 4, 4)], "empty"),
    "GRUUnit": (lambda: D.GRUUnit(9), [(2, 9), (2, 3)], ""),
    "NCE": (lambda: D.NCE(10, 4), [(2, 4), (2, 1, "int64")], "1:rank-1"),
    "BilinearTensorProduct": (lambda: D.BilinearTensorProduct(4, 5, 6), [(2, 4), (2, 5)], ""),
    "TreeConv": (lambda: D.TreeConv(5, 6, 1, 2), [(1, 10, 5), (1, 9, 2, "int32")], ""),
    "L1Loss": (lambda: D.L1Loss(), [(2, 4), (2, 4)], "rank-1 rank+1"),
    "MSELoss": (lambda: D.MSELoss(), [(2, 4), (2, 4)], "rank-1 rank+1"),
    "BCELoss": (lambda: D.BCELoss(), [(2, 4), (2, 4)], ""),
    "NLLLoss": (lambda: D.NLLLoss(), [(2, 4), (2, "int64")], "0:float64"),
    "CrossEntropyLoss": (lambda: nn.CrossEntropyLoss(), [(2, 4), (2, 1, "int64")], "0:float64"),
    "HSigmoid": (lambda: nn.HSigmoid(4, 6), [(2, 4), (2, 1, "int64")], "1:rank+1"),
    "LogSoftmax": (lambda: nn.LogSoftmax(), [(2, 4)], "rank-1 rank+1 empty float64"),
    "ReLU": (lambda: nn.ReLU(), [(2, 4)], "rank-1 rank+1 empty float64"),
    "Sigmoid": (lambda: nn.Sigmoid(), [(2, 4)], "rank-1 rank+1 empty float64"),
    "RowConv": (lambda: nn.RowConv(4, 2), [(2, 5, 4)], "rank-1 empty float64"),
    "UpSample": (lambda: nn.UpSample(out_shape=[4, 4]), [(2, 3, 8, 8)], "empty float64"),
    "LSTMCell": (  # the old cell is multiplied by Python's *, which takes more
        lambda: D.LSTMCell(5, 4, dtype="float32"),
        [(2, 4), (2, 5), (2, 5)],
        "empty 2:rank-1 2:rank+1 2:bool 2:int64 2:float64 2:array 2:int",
    ),
    "GRUCell": (lambda: D.GRUCell(5, 4, dtype="float32"), [(2, 4), (2, 5)], "empty"),
    "nn.Conv2D": (lambda: nn.Conv2D(3, 4, 3), [(2, 3, 8, 8)], "empty"),
    "nn.Conv2DTranspose": (lambda: nn.Conv2DTranspose(3, 4, 3), [(2, 3, 8, 8)], "empty"),
    "nn.Conv3D": (lambda: nn.Conv3D(3, 4, 3), [(2, 3, 5, 5, 5)], "empty"),
    "nn.Conv3DTranspose": (lambda: nn.Conv3DTranspose(3, 4, 3), [(2, 3, 5, 5, 5)], "empty"),
}

CONTAINERS = {"StaticModelRunner", "Layer", "LayerList", "ParameterList", "Sequential", "DataParallel"}


def var(shape, dtype="float32"):
    return D.to_variable(np.ones(shape, dtype))


def split(spec):
    return (spec[:-1], spec[-1]) if isinstance(spec[-1], str) else (spec, "float32")


def wrong_inputs(shape, dtype):
    other = "float32" if dtype.startswith("int") else "int64"
    yield "rank+1", var((1, *shape), dtype)
    if len(shape) > 1:
        yield "rank-1", var(shape[1:], dtype)
    yield "empty", var((0, *shape[1:]), dtype)
    yield "bool", var(shape, "bool")
    yield other, var(shape, other)
    if dtype == "float32":
        yield "float64", var(shape, "float64")
    yield "list", [var(shape, dtype)]
    yield "array", np.ones(shape, dtype)
    for value in (None, "x", 3, object()):
        yield type(value).__name__, value


def state_of(layer):
    return {name: value.numpy() for name, value in layer.state_dict().items()}


@pytest.mark.parametrize("name", ROWS)
def test_wrong_inputs_are_refused_in_our_words_and_change_nothing(name):
    make, specs, takes = ROWS[name]
    with D.guard():
        layer, good = make(), [var(*split(spec)) for spec in specs]
        layer(*good)
        before = state_of(layer)
        for place, spec in enumerate(specs):
            for kind, wrong in wrong_inputs(*split(spec)):
                if kind in takes.split() or f"{place}:{kind}" in takes.split():
                    continue
                with pytest.raises(EnforceNotMet) as caught:
                    layer(*good[:place], wrong, *good[place + 1 :])
                text = str(caught.value)
                assert re.match(r"\w+: ", text) and "fit together" not in text, (kind, text)
                assert "test_wrong_calls.py" in text, (kind, text)  # the user's line
        for inputs in ((), (*good, *good, *good, *good, *good)):
            with pytest.raises(EnforceNotMet, match=r"forward takes \("):
                layer(*inputs)
        after = state_of(layer)
        assert before.keys() == after.keys() and all(np.array_equal(before[key], after[key]) for key in before)


def test_every_layer_class_has_a_row():
    classes = {
        value.__name__
        for module in (fluid.dygraph, nn)
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, D.Layer)
    }
    assert classes - CONTAINERS <= {name.split()[0].removeprefix("nn.") for name in ROWS}


def test_dtypes_that_differ_are_named_with_what_to_do():
    with D.guard(), pytest.raises(EnforceNotMet) as caught:
        D.Conv2D(3, 4, 3)(var((1, 3, 5, 5), "float64"))
    text = str(caught.value)
    assert text.startswith("conv2d: Input is float64, but Filter is float32; make them the same, for example with")
    assert "D.Conv2D(3, 4, 3)(var" in text  # the user's line


def test_the_same_words_when_a_program_runs():
    x = fluid.data("x", [None, 4], "float64")
    h = fluid.data("h", [None, 5], "float32")
    out = fluid.layers.bilinear_tensor_product(x, h, size=3)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    with pytest.raises(EnforceNotMet, match="X is float64, but Y is float32; make them the same"):
        exe.run(feed={"x": np.ones((2, 4)), "h": np.ones((2, 5), "float32")}, fetch_list=[out])


def test_the_list_that_fc_takes_is_taken_at_the_first_call():
    with D.guard():
        fc = D.FC("fc", 3)
        assert fc([var((2, 4)), var((2, 5))]).shape == [2, 3]
        assert [p.shape for p in fc.parameters()] == [[4, 3], [5, 3], [3]]


def test_an_error_of_the_users_own_layer_in_a_container_stays_as_it_is():
    class Own(D.Layer):
        def forward(self, pair):
            return pair[0] + len(3)

    with D.guard(), pytest.raises(TypeError, match="has no len"):
        D.Sequential(Own())((var([1]), var([1])))
