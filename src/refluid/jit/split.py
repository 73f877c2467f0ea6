"""A plan in two parts: `run` computes the outputs and returns, besides them, the function that computes gradients.

The operators of the backward pass stand in the same program, behind the operator `backward_begins`, and are written
into a function of their own. What they read of the forward pass is kept in a list; nothing else is. When nobody will
ask for the gradients again (`last`), the list is emptied, and so every value is freed after its last use.

    def run(feeds, lods, scope):
        x = feeds[0]
        y = tanh(x)
        def back(grads, kept, last):
            y, = kept
            if last: kept.clear()
            y_grad = grads[0]
            x_grad = tanh_grad(y, y_grad)
            del y
            return (x_grad,)
        return (y,), (None,), back, [y]
"""

from __future__ import annotations

import ast
from typing import Any

import torch

from refluid.autodiff.backward import gradients
from refluid.core.dtypes import VarType
from refluid.executor import runtime
from refluid.executor.blocks.optional import allow_none
from refluid.executor.codegen import Source, emits
from refluid.executor.plan import Plan
from refluid.executor.step import Step
from refluid.ir.clone import clone
from refluid.ir.program import Program
from refluid.ops.infer import Spec
from refluid.ops.registry import Tensor, op
from refluid.ops.signature import GRAD_SUFFIX
from refluid.tensor.tensor_array import LoDTensorArray


@op("Out", duplicable="Out", side_effect=True, nograd="*", lod=None)
def backward_begins(*, count: int) -> list[Tensor]:
    """Out are the gradients of the outputs, which come from outside."""
    raise NotImplementedError("backward_begins stands between the two parts of a program and is not run")


@backward_begins.infer
def _infer(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [[None] * attrs["count"]]


_HEAD = "def back(grads, kept, last):"


class _Deeper(Source):
    """The source of a plan from where the inner function begins."""

    def line(self, text: str, step: Step | None = None, indent: int = 1) -> None:
        super().line(text, step, indent + 1)


@emits(backward_begins)
def _emit(source: Source, step: Step, indent: int, keep: set[str], outer: frozenset[str]) -> None:
    source.line(_HEAD, step, indent)
    source.__class__ = _Deeper  # Plan makes the source; from here on its lines belong to the inner function
    source.line("pass", step, indent)  # to be replaced when it is known what is kept; see _hand_over
    source.line("pass", step, indent)
    source.runs_again = True
    for i, name in enumerate(step.operator.outputs.get("Out", [])):
        if name in step.outputs[0]:
            source.line(f"{source.ident(name)} = grads[{i}]", step, indent)
    for name, var in step.operator.block.vars.items():
        if var.type == VarType.LOD_TENSOR_ARRAY and GRAD_SUFFIX in name and name in source.idents:
            # Arrays are changed where they are: every call begins with its own.
            array = source.constant(LoDTensorArray, "LoDTensorArray")
            source.line(f"{source.ident(name)} = {array}()", step, indent)


def _hand_over(source: Source) -> list[str]:
    """Make the locals of `run` that `back` reads locals of `back`; returns them."""
    (run,) = ast.parse(source.text()).body
    assert isinstance(run, ast.FunctionDef)
    (back,) = (part for part in run.body if isinstance(part, ast.FunctionDef))
    read = {name.id for name in _names(back) if not isinstance(name.ctx, ast.Store)}
    alive = {arg.arg: True for arg in run.args.args}  # whether it is set on every way through `run`
    for statement in run.body:
        for name in () if statement is back else _names(statement):
            if isinstance(name.ctx, ast.Del):
                alive.pop(name.id, None)
            elif isinstance(name.ctx, ast.Store):
                alive[name.id] = alive.get(name.id, False) or isinstance(statement, ast.Assign)
    kept = [name for name in alive if name in read]
    if kept:
        at = next(i for i, line in enumerate(source.lines) if line.strip() == _HEAD)
        indent = source.lines[at + 1].removesuffix("pass")
        source.lines[at + 1] = f"{indent}{', '.join(kept)}, = kept"
        source.lines[at + 2] = f"{indent}if last: kept.clear()"
        unset = "".join(f", {name}=None" for name in kept if not alive[name])
        source.lines[0] = source.lines[0].replace("):", f"{unset}):")
    return kept


def _names(tree: ast.AST) -> list[ast.Name]:
    """The names in the order in which they stand."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


class SplitPlan(Plan):
    """`function(feeds, lods, scope)` gives the outputs, their LoDs, `back` and what that reads.

    `back(grads, kept, last)` gives `wanted`; those of `grads` that are `optional` may be None.
    """

    optional: list[bool]

    def __init__(
        self,
        program: Program,
        feeds: tuple[str, ...],
        lod_feeds: frozenset[str],
        outputs: tuple[str, ...],
        wanted: tuple[str | None, ...],
        device: torch.device,
    ):
        self.outputs, self.wanted = outputs, wanted
        super().__init__(program, feeds, lod_feeds, (*outputs, *[name for name in wanted if name]), device)

    def _write(self, source: Source, lod_feeds: frozenset[str]) -> list[bool]:
        seeds = next(step for step in self.steps if step.op is backward_begins).operator.output("Out")
        dynamic = any(step.body for step in self.steps) and not source.check_nan
        optional = allow_none(self.steps, seeds if len(seeds) > 1 else ()) if dynamic else set()
        self.optional = [name in optional for name in seeds]
        found = super()._write(source, lod_feeds)
        del source.lines[-1]  # the return of everything together
        grads = ", ".join("None" if name is None else source.ident(name) for name in self.wanted)
        values = ", ".join(source.fetched.get(name) or source.ident(name) for name in self.outputs)
        lods = ", ".join(source.lods.get(name, "None") for name in self.outputs)
        source.line(f"return ({grads},)")
        source.__class__ = Source
        source.line(f"return ({values},), ({lods},), back, [{', '.join(_hand_over(source))}]")
        return found


def split(
    program: Program, feeds: tuple[str, ...], lod_feeds: frozenset[str], outputs: tuple[str, ...],
    targets: tuple[str, ...], inputs: tuple[str, ...], device: torch.device,
) -> SplitPlan:  # fmt: skip
    """The plan of a copy of `program` with the gradients of `targets` (among the outputs) by `inputs` appended."""
    copied = clone(program)
    copied.random = program.random
    block = copied.global_block()
    for name in inputs:
        block.vars[name].stop_gradient = False
    seeds = []
    for name in targets:
        like = block.vars[name]
        seeds.append(
            block.create_var(
                name=f"{name}{GRAD_SUFFIX}@SEED", shape=like.shape, dtype=like._dtype, lod_level=like.lod_level
            )
        )
    block.append_op("backward_begins", outputs={"Out": seeds}, attrs={"count": len(seeds)})
    for seed, name in zip(seeds, targets, strict=True):
        seed.adopt(Spec(block.vars[name].shape, block.vars[name].spec().dtype))
    found = gradients([block.vars[name] for name in targets], [block.vars[name] for name in inputs], seeds)
    wanted = tuple(None if grad is None else grad.name for grad in found)
    return SplitPlan(copied, feeds, lod_feeds, outputs, wanted, device)


def draws_on(plan: Plan) -> None:
    """Random operators go on from run to run, as they do in the imperative mode, whatever the program's seed."""
    for value in plan.source.globals.values():
        if isinstance(value, runtime.Generator):
            value.kind = "stream"
