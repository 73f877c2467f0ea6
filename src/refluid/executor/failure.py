"""Explains a failure of a plan in the user's terms: which operator, which variables with what shapes, built where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from refluid.core import dtypes
from refluid.core.errors import EnforceNotMet, NotFoundError
from refluid.executor.graph.node import Node
from refluid.executor.graph.value import present
from refluid.ops.checks import wrong_attr
from refluid.ops.failure import refusal
from refluid.tensor.scope import Scope

if TYPE_CHECKING:
    from refluid.executor.plan import Plan


def explain(error: Exception, plan: Plan, feeds: dict[str, torch.Tensor], scope: Scope) -> Exception:
    """The error to raise in place of `error`, which a line of the plan has raised."""
    node, values = _where(error, plan)
    if node is None:
        return _uninitialised(plan, scope) or error
    empty = _uninitialised(plan, scope)
    if empty is not None and isinstance(error, AttributeError | TypeError):
        return empty
    # Operators that tell their shapes without running meet a wrong attribute only now.
    wrong = None if isinstance(error, EnforceNotMet) else wrong_attr(node.op, node.attrs)
    told = wrong or refusal(error, _inputs(node, plan, values))
    if told is None:
        return error  # an exception of the user's own code (py_func) or of Python itself
    return told.within(node.operator.type, _details(node, plan, values, _contradicting_feeds(plan, feeds)))


def _where(error: Exception, plan: Plan) -> tuple[Node | None, dict[str, Any]]:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == plan.filename:
            return plan.source.node_at.get(trace.tb_lineno), trace.tb_frame.f_locals
        trace = trace.tb_next
    return None, {}


def _inputs(node: Node, plan: Plan, values: dict[str, Any]) -> list[tuple[str, Any]]:
    """(slot, value in this run) of the operator's inputs."""
    held = _values(node, plan, values)
    return [(slot, held.get(name)) for slot, names in node.operator.inputs.items() for name in names]


def _values(node: Node, plan: Plan, values: dict[str, Any]) -> dict[str, Any]:
    """The values in this run of the variables that the operator names."""
    idents, locals_ = plan.source.idents, plan.source.locals
    names = [name for names in node.operator.inputs.values() for name in names]
    found = {name: values.get(idents.get(name, "")) for name in names}
    return found | {value.name: values.get(locals_.get(value, "")) for value in present(node.inputs)}


def _details(node: Node, plan: Plan, values: dict[str, Any], feeds: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The operator's table with the shapes of this run in place of the declared ones, and the rows about feeds."""
    rows = []
    held = _values(node, plan, values)
    for slot, names in node.operator.inputs.items():
        for name in names:
            value = held.get(name)
            if isinstance(value, torch.Tensor):
                rows.append((slot, f"{name}  {dtypes.TORCH_NAME[value.dtype]} {list(value.shape)}"))
            else:
                var = plan.block.find_var(name)
                rows.append((slot, var.describe() if var is not None else name))
    rest = [row for row in node.operator.details() if row[0] in ("attrs", "built")]
    return rows + [row for row in rest if row[0] == "attrs"] + feeds + [row for row in rest if row[0] == "built"]


def _uninitialised(plan: Plan, scope: Scope) -> NotFoundError | None:
    for name in plan.required:
        var = scope.find_var(name)
        if var is None or not var.is_initialized():
            kind = "parameter" if getattr(plan.block.find_var(name), "is_parameter", False) else "persistable variable"
            return NotFoundError(
                f"Executor.run: the {kind} {name} has no value; run the startup program first: "
                "exe.run(fluid.default_startup_program()), in the same scope"
            )
    return None


def _contradicting_feeds(plan: Plan, feeds: dict[str, torch.Tensor]) -> list[tuple[str, str]]:
    """Feeds that are not of their declared shape: the likely reason, where Fluid lets them pass."""
    rows = []
    for name, value in feeds.items():
        var = plan.block.find_var(name)
        if var is not None and isinstance(value, torch.Tensor) and not fits(var.shape, tuple(value.shape)):
            rows.append(("feed", f"{name}  has the shape {list(value.shape)}, but is declared {list(var.shape)}"))
    return rows


def fits(declared: tuple[int, ...], real: tuple[int, ...]) -> bool:
    return len(declared) == len(real) and all(d in (-1, r) for d, r in zip(declared, real, strict=True))


def near_names(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known: which one was probably meant."""
    near = difflib.get_close_matches(name, list(known), 3)
    return f"; did you mean {', '.join(near)}?" if near else ""
