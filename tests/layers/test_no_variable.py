"""Every function of fluid.layers, paddle.tensor and paddle.nn.functional names what is no variable, in both modes."""

import inspect

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

# Those whose first argument is no variable, or that take anything, with the reason.
OTHERS = {
    "create_array": "a dtype, which the imperative mode has no use for",
    "create_tensor": "a dtype",
    "cosine_decay": "a number",
    "noam_decay": "a number",
    "py_func": "a function",
    "py_reader": "a number",
    "data": "a name",
    "open_files": "names of files",
    "shuffle": "a reader",
    "load": "writes into a variable that a program has",
    "collect_fpn_proposals": "lists of variables, cut by the numbers behind them",
}
KNOWN = {"shape": [2, 2], "size": 3, "dtype": "float32", "axis": 1, "dim": 1, "num": 2, "perm": [1, 0],
         "num_filters": 2, "filter_size": 3, "i": None}  # fmt: skip


def needed(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind in kinds]


def functions():
    modules = {"layers": fluid.layers, "tensor": paddle.tensor, "functional": paddle.nn.functional}
    for where, module in modules.items():
        for name, value in sorted(vars(module).items()):
            if inspect.isfunction(value) and not name.startswith("_") and name not in OTHERS and needed(value):
                yield pytest.param(value, id=f"{where}.{name}")


def call(function, wrong, right):
    names = needed(function)
    function(wrong, *[right if KNOWN.get(name) is None else KNOWN[name] for name in names[1:]])


@pytest.mark.parametrize("function", list(functions()))
def test_what_is_no_variable_is_refused_in_words_of_ours(function):
    for wrong in (None, "x", object()):
        with fluid.dygraph.guard():
            one = fluid.dygraph.to_variable(np.ones(1, "float32"))
            with pytest.raises(EnforceNotMet):
                call(function, wrong, one)
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            one = fluid.data("one", [1])
            with pytest.raises(EnforceNotMet):
                call(function, wrong, one)


def test_the_line_of_the_call_is_named_in_both_modes():
    with fluid.dygraph.guard(), pytest.raises(EnforceNotMet, match=r"called  .*fluid.layers.relu\(np.ones"):
        fluid.layers.relu(np.ones(2, "float32"))
    with pytest.raises(EnforceNotMet, match=r"built  .*fluid.layers.relu\(np.ones"):
        fluid.layers.relu(np.ones(2, "float32"))
    with pytest.raises(EnforceNotMet, match=r"called  .*fluid.layers.fc\(None, 3\)"):
        fluid.layers.fc(None, 3)
