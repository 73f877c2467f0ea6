"""The mode is an object that is asked to do something, not a question: who may still ask what it is."""

import ast
from pathlib import Path

import numpy as np

import paddle.fluid as fluid
from refluid.core.mode import per_mode

SRC = Path(__file__).parent.parent / "src" / "refluid"
# Questions that stay, with the reason.
ALLOWED = {
    # the public question, fluid.in_dygraph_mode; and whether a thread works on the tape of another
    "eager/base.py": {"enabled", "_for_this_thread"},
    "data/loading/data_loader.py": {"__init__"},  # a loader has fields and places by the mode that it is made in
    "data/loading/generator.py": {"__init__"},
}


def questions(path: Path) -> list[tuple[str, int]]:
    """(function, line) of every `mode.current().imperative`, `enabled()`, `in_dygraph_mode()` and the like."""
    found = []

    def walk(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
            if isinstance(child, ast.FunctionDef) and _decorated_for_a_mode(child):
                walk(ast.Module(child.body, []), inside)
                continue
            if _asks(child):
                found.append((inside, child.lineno))
            walk(child, inside)

    walk(ast.parse(path.read_text()), "")
    return found


def _decorated_for_a_mode(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(one).endswith((".imperative", ".tracing")) for one in function.decorator_list)


def _asks(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).split(".")[-1] in ("enabled", "in_dygraph_mode") and not node.args
    if isinstance(node, ast.Attribute) and node.attr == "imperative":
        return ast.unparse(node.value).endswith("current()")
    # `isinstance(mode.current(), Tape)` and `mode.current() is tape()` are the same question.
    if isinstance(node, ast.Compare):
        return any(ast.unparse(one).endswith("mode.current()") for one in (node.left, *node.comparators))
    return False


def test_nobody_asks_which_mode_is_on():
    wrong = [
        f"{path.relative_to(SRC)}:{line} (in {function})"
        for path in sorted(SRC.rglob("*.py"))
        for function, line in questions(path)
        if function not in ALLOWED.get(str(path.relative_to(SRC)), set())
    ]
    assert not wrong, f"give the function a rule per mode (core/mode.py) instead of asking: {wrong}"


def test_every_question_that_is_allowed_is_asked():
    for path, functions in ALLOWED.items():
        assert functions <= {function for function, _ in questions(SRC / path)}, path


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
