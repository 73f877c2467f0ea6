"""The mode is an object that is asked to do something, not a question: who may still ask what it is."""

import ast
from pathlib import Path

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.mode import per_mode

SRC = Path(__file__).parent.parent / "src" / "refluid"
# Questions that stay, with the reason.
ALLOWED = {
    # the public question, fluid.in_dygraph_mode; and whether a thread works on the tape of another
    "eager/base.py": {"enabled", "_for_this_thread"},
    "data/loading/data_loader.py": {"__init__"},  # a loader has fields and places by the mode that it is made in
    "data/loading/generator.py": {"__init__"},
    "optim/average.py": {"_choose"},  # no question: it keeps the mode, whose rules apply() and restore() follow later
}


def questions(source: str) -> list[tuple[str, int]]:
    """(function, line) of whatever tells the modes apart.

    What is asked of `mode.current()` is a call of a method; `.imperative` registers a rule; there is no `enabled()` and
    no `in_dygraph_mode()`. Anything else is a question: comparisons, `isinstance`, reading an attribute.
    """
    found = []

    def walk(node: ast.AST, function: str, around: tuple[ast.AST | None, ast.AST | None]) -> None:
        inside = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else function
        if _asks(node, *around):
            found.append((inside, node.lineno))
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.FunctionDef) and child in node.decorator_list):
                walk(child, inside, (node, around[0]))

    walk(ast.parse(source), "", (None, None))
    return found


def _asks(node: ast.AST, parent: ast.AST | None, grandparent: ast.AST | None) -> bool:
    called = isinstance(parent, ast.Call) and parent.func is node
    if isinstance(node, ast.Attribute) and node.attr == "imperative":
        return isinstance(node.ctx, ast.Load) and not called
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    if name.split(".")[-1] in ("enabled", "in_dygraph_mode"):
        return not node.args
    method = isinstance(parent, ast.Attribute) and isinstance(grandparent, ast.Call) and grandparent.func is parent
    return name.endswith("mode.current") and not method


@pytest.mark.parametrize(
    "question",
    [
        "mode.current().imperative", "here = mode.current()", "isinstance(mode.current(), Tape)",
        "mode.current() is tape()", "hasattr(mode.current(), 'recording')", "mode.current().recording", "enabled()",
        "framework.in_dygraph_mode()", "self.runner.imperative", "getattr(core.mode.current(), 'step', None)",
    ],
)  # fmt: skip
def test_every_spelling_of_the_question_is_seen(question):
    assert questions(f"def ask(self):\n    return ({question})" if "=" not in question else question)


@pytest.mark.parametrize("call", ["mode.current().accepts(x)", "decay.imperative(Decay)", "scope.current().value"])
def test_what_is_no_question_is_not_taken_for_one(call):
    assert not questions(call)


def test_nobody_asks_which_mode_is_on():
    wrong = [
        f"{path.relative_to(SRC)}:{line} (in {function})"
        for path in sorted(SRC.rglob("*.py"))
        for function, line in questions(path.read_text())
        if function not in ALLOWED.get(str(path.relative_to(SRC)), set())
    ]
    assert not wrong, f"give the function a rule per mode (core/mode.py) instead of asking: {wrong}"


def test_every_question_that_is_allowed_is_asked():
    for path, functions in ALLOWED.items():
        assert functions <= {function for function, _ in questions((SRC / path).read_text())}, path


def test_every_function_with_a_rule_for_programs_has_one_for_the_imperative_mode():
    for path in sorted(SRC.rglob("*.py")):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(one) in ("per_mode", "mode.per_mode") for one in node.decorator_list
            ):
                rule = f"{node.name}.imperative"
                assert any(isinstance(one, ast.Attribute) and ast.unparse(one) == rule for one in ast.walk(tree)), (
                    f"{path.name}: {node.name} has no rule for the imperative mode"
                )


def test_a_variable_chooses_the_rule_of_its_mode_whichever_mode_is_on():
    @per_mode
    def kind(var):
        return "program"

    @kind.imperative
    def _(var):
        return "imperative"

    with fluid.dygraph.guard():
        loss = fluid.dygraph.to_variable(np.ones([1], "float32"))
        var = fluid.Program().global_block().create_var(name="x", shape=[1], dtype="float32")
        assert kind.of(var)(var) == "program" and kind(var) == "imperative"
    assert kind.of(loss)(loss) == "imperative" and kind(loss) == kind.of(1.0)(1.0) == "program"


def test_an_imperative_loss_is_minimized_outside_of_the_guard_too():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 1, bias_attr=False)
        before = layer.weight.numpy().copy()
        loss = fluid.layers.reduce_sum(layer(fluid.dygraph.to_variable(np.ones([1, 2], "float32"))))
        loss.backward()
    for make in (
        fluid.optimizer.SGD,
        lambda rate: fluid.optimizer.SGD(rate, grad_clip=fluid.clip.GradientClipByValue(1.0)),
    ):
        make(0.1).minimize(loss)
    np.testing.assert_allclose(layer.weight.numpy(), before - 0.2, rtol=1e-6)


def rules(source: str) -> list[tuple[str, list[str], list[str]]]:
    """(rule, its parameters, those of the function that it is a rule of), of every rule of a mode."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    both = {f.name: f for f in functions if any(ast.unparse(d) in _PER_MODE for d in f.decorator_list)}
    return [
        (rule.name, _parameters(rule), _parameters(both[decorator.value.id]))
        for rule in functions
        for decorator in rule.decorator_list
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("imperative", "tracing")
        if isinstance(decorator.value, ast.Name)
    ]


_PER_MODE = ("per_mode", "mode.per_mode")


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    several = [entry.arg for entry in (arguments.vararg, arguments.kwarg) if entry is not None]
    return [entry.arg for entry in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)] + several


def test_every_rule_of_a_mode_takes_the_arguments_of_its_function():
    """Their types may differ, since each takes the variables of its mode, so the type checker does not compare them."""
    checked = 0
    for path in sorted(SRC.rglob("*.py")):
        for rule, own, expected in rules(path.read_text()):
            assert own == expected, f"{path.relative_to(SRC)}: {rule}"
            checked += 1
    assert checked > 50


def test_a_rule_with_other_arguments_is_noticed():
    source = "@per_mode\ndef f(x, y): ...\n\n@f.imperative\ndef _f(x): ...\n"
    assert rules(source) == [("_f", ["x"], ["x", "y"])]
