"""What cannot be translated is refused with file, line and reason; failures point at the lines of the user."""

import traceback

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import Layer, Linear, declarative, to_variable
from refluid.core.errors import ArgumentError, EnforceNotMet, ModeError
from refluid.jit.errors import TranslationError


def call(function, *arrays):
    with fluid.dygraph.guard():
        return declarative(function)(*[to_variable(np.asarray(a, "float32")) for a in arrays])


def generator(x):
    yield x


def one_branch_only(x):
    if layers.mean(x) > 0:
        y = x
    return y


def other_kind(x):
    y = None
    if layers.mean(x) > 0:
        y = x
    return y


def other_length(x):
    parts = (x,)
    if layers.mean(x) > 0:
        parts = (x, x)
    return parts[0]


def other_dtype(x):
    if layers.mean(x) > 0:
        x = layers.cast(x, "int64")
    return x


def first_value_in_loop(x):
    while x < 10:
        last = "some"
        x = x + 1
    return last


def changes_its_kind(x):
    y = None
    while x < 10:
        y = x
        x = x + 1
    return x, y


def endless(x):
    if layers.mean(x) > 0:
        return endless(x - 1)
    return x


def walrus(x):
    return x if (y := x) is None or (y := x * 2) > 0 else y


def tensor_step(x):
    total = x
    for i in range(0, 3, x):
        total = total + i
    return total


def grown_list_is_sliced(x):
    parts = [x]
    while layers.mean(x) < 10:
        parts.append(x)
        x = x + 1
    return parts[1:]


def set_that_differs(x):
    seen = {1}
    if layers.mean(x) > 0:
        seen.add(2)
    return x * len(seen)


def key_that_goes(x):
    parts = {"a": x, "b": x}
    if layers.mean(x) > 0:
        del parts["a"]
    return parts["b"]


def raises_in_a_branch(x):
    if layers.mean(x) > 1000:
        raise ValueError("too big")
    return x


def sets_a_value(x):
    x.set_value([0.0])
    return x


@pytest.mark.parametrize("function, says", [
    (generator, "a generator \\(yield\\) cannot be part of a program"),
    (one_branch_only, "'y' gets a value in one branch only of an `if` whose condition is a tensor"),
    (other_kind, "leave 'y' as a float32 tensor \\[1\\] and as None"),
    (other_length, "leave 'parts' as a tuple of 2 and as a tuple of 1"),
    (other_dtype, "leave 'x' as a int64 tensor \\[1\\] and as a float32 tensor"),
    (first_value_in_loop, "'last' gets its first value in a loop whose condition is a tensor"),
    (changes_its_kind, "'y' is None before an iteration of a loop whose condition is a tensor and a float32 tensor"),
    (endless, "endless calls itself 50 times deep"),
    (walrus, "assign before"),
    (tensor_step, "the step of a range must be an int, got a tensor"),
    (grown_list_is_sliced, "cannot be sliced"),
    (set_that_differs, "leave 'seen' as set {1, 2} and as set {1}"),
    (key_that_goes, "leave 'parts' as a dict of 1 and as a dict of 2"),
    (raises_in_a_branch, "`raise` under a condition that is a tensor.*use assert.*too big"),
], ids=lambda v: getattr(v, "__name__", ""))  # fmt: skip
def test_a_translation_is_refused_with_the_reason(function, says):
    with pytest.raises(TranslationError, match=says) as found:
        call(function, [1.0])
    told = str(found.value)
    assert "test_refusals.py:" in told and f"in {function.__name__}" in told


def test_a_refusal_of_syntax_names_file_line_and_source():
    with pytest.raises(TranslationError) as found:
        call(generator, [1.0])
    assert "source" in str(found.value) and "test_refusals.py:" in str(found.value)
    assert "in generator: yield x" in str(found.value)


def test_setting_a_value_is_refused_with_the_function():
    with pytest.raises(ModeError, match="set_value: x is a variable of the static mode") as found:
        call(sets_a_value, [1.0])
    assert "in sets_a_value: x.set_value([0.0])" in str(found.value)
    assert "keep to operators" in str(found.value)


def filters_by_a_tensor(x):
    return layers.sums([x] + [one for one in [x, x * 2] if layers.mean(one) > 0])


def gives_tensors_to_numpy(x):
    return x + np.sum(x)


@pytest.mark.parametrize("function", [filters_by_a_tensor, gives_tensors_to_numpy])
def test_python_that_needs_a_value_is_warned_of(function):
    with pytest.warns(UserWarning, match="is a variable of the static mode: .* where a function becomes a program"):
        call(function, [1.0])


def wrong_shapes(x):
    if layers.mean(x) > 0:
        y = layers.concat([x, x], axis=0)
        return layers.elementwise_add(x, layers.reshape(y, [4]))
    return x


def test_an_operator_that_fails_while_translating_points_at_the_users_line():
    with pytest.raises(EnforceNotMet) as found:
        call(wrong_shapes, [1.0, 2.0])
    assert "layers.elementwise_add(x, layers.reshape(y, [4]))" in str(found.value)


def fails_when_it_runs(x, index):
    if layers.mean(x) > 0:
        return layers.gather(x, index)
    return x


def test_an_operator_that_fails_while_running_points_at_the_users_line():
    with fluid.dygraph.guard():
        function = declarative(fails_when_it_runs)
        x = to_variable(np.array([1.0, 2.0], "float32"))
        assert function(x, to_variable(np.array([1], "int64"))).shape == [1]
        with pytest.raises(EnforceNotMet) as found:
            function(x, to_variable(np.array([7], "int64")))
    assert "return layers.gather(x, index)" in str(found.value)


def python_fails(x):
    if len(x.shape) > 0:
        raise KeyError("mine")
    return x


def test_an_exception_of_the_users_own_shows_the_users_lines():
    with pytest.raises(KeyError, match="mine") as found:
        call(python_fails, [1.0])
    last = traceback.extract_tb(found.value.__traceback__)[-1]
    assert last.filename == __file__ and last.line == 'raise KeyError("mine")'


def test_an_assertion_about_a_tensor_fails_when_the_program_runs():
    @declarative
    def positive(x):
        assert x > 0, "must be positive"
        return x * 2

    with fluid.dygraph.guard():
        assert positive(to_variable(np.array([1.0], "float32"))).numpy() == 2
        with pytest.raises(AssertionError, match="must be positive"):
            positive(to_variable(np.array([-1.0], "float32")))


def test_a_tensor_that_a_layer_keeps_between_calls_is_refused():
    class Net(Layer):
        def __init__(self):
            super().__init__()
            self.fc = Linear(2, 2)
            self.hidden = None

        @declarative
        def forward(self, x):
            self.hidden = self.fc(x)
            return self.hidden

    with fluid.dygraph.guard(), pytest.raises(TranslationError, match="self.hidden keeps a tensor of Net"):
        Net()(to_variable(np.ones([1, 2], "float32")))


def test_a_variable_of_a_program_is_refused_in_the_imperative_mode():
    x = fluid.data("x", [1])
    with fluid.dygraph.guard(), pytest.raises(ModeError, match="x is a variable of a program"):
        declarative(endless)(x)


def test_only_functions_can_be_declarative():
    with pytest.raises(ArgumentError, match="expected a function, got int"):
        declarative(3)


def test_a_function_without_source_is_refused():
    space = {}
    exec("def nowhere(x):\n    return x", space)
    with pytest.raises(TranslationError, match="the source cannot be read"):
        call(space["nowhere"], [1.0])


def test_a_lambda_is_refused():
    with pytest.raises(TranslationError, match="only functions defined with `def`"):
        call(lambda x: x, [1.0])
    functions = {
        "kept": lambda x: x,
    }
    with pytest.raises(TranslationError, match="only functions defined with `def`"):
        call(functions["kept"], [1.0])
