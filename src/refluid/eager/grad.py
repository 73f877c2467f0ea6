"""grad: gradients with respect to chosen variables, as values or, with create_graph, as part of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

from refluid.core import mode
from refluid.core.errors import ArgumentError, EnforceNotMet, ModeError, ShapeError
from refluid.eager.backward import add_gradients
from refluid.eager.base import recording, tape
from refluid.eager.graph import FREED, Accumulator, Gradient, Node, Out, Stopped
from refluid.eager.rerun import rerun
from refluid.eager.strategy import BackwardStrategy
from refluid.eager.variable import VarBase
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.math.scale import scale
from refluid.tensor.selected_rows import SelectedRows, to_dense


def grad(
    outputs: VarBase | Sequence[VarBase],
    inputs: VarBase | Sequence[VarBase],
    grad_outputs: VarBase | Sequence[VarBase | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: VarBase | Sequence[VarBase] | None = None,
    backward_strategy: BackwardStrategy | None = None,
) -> list[VarBase | None]:
    """The gradients of the sum of `outputs` with respect to `inputs`; no variable's own gradient changes.

    Args:
        outputs: a variable or a list of them.
        inputs: a variable or a list of them.
        grad_outputs: the gradients of the outputs to begin with; ones where None.
        retain_graph: whether the graph can be gone through again; as create_graph if None.
        create_graph: the results are computed by operators of the graph, so that they have gradients themselves.
        only_inputs: True; gradients of other variables are not computed.
        allow_unused: give None for an input that no output was computed from, instead of refusing it.
        no_grad_vars: variables that no gradient passes.
        backward_strategy: no effect; gradients are always summed in one order.

    Returns:
        A list of gradients, one per input.

    Example:
        >>> with fluid.dygraph.guard():
        ...     x = fluid.dygraph.to_variable(np.array([3.0], "float32"))
        ...     x.stop_gradient = False
        ...     (dx,) = fluid.dygraph.grad(x * x, x, create_graph=True)
        ...     fluid.dygraph.grad(dx * dx, x)[0].numpy()
        array([24.], dtype=float32)
    """
    mode.current().demand_imperative(
        ModeError("grad: the imperative mode is off; use fluid.gradients in a static program")
    )
    if not only_inputs:
        raise ArgumentError("grad: only_inputs=False is not available; call backward() for the gradients of all")
    if backward_strategy is not None and not isinstance(backward_strategy, BackwardStrategy):
        raise ArgumentError(
            f"grad: backward_strategy must be a BackwardStrategy, got {type(backward_strategy).__name__}"
        )
    roots, targets = _variables("outputs", outputs), _variables("inputs", inputs)
    starts = _starts(roots, grad_outputs)
    stops = [] if no_grad_vars is None else _variables("no_grad_vars", no_grad_vars)
    blocked = {var._grad_node for var in stops} - {None}
    for what, variables in (("outputs", roots), ("inputs", targets)):
        for var in variables:
            if var.stop_gradient:
                raise ArgumentError(f"grad: {var.name} of {what} is stopped; set stop_gradient=False before it is used")
    accumulators = [var._grad_node or var._as_leaf() for var in targets]
    with recording(create_graph):
        walk = _Walk(accumulators, blocked, create_graph)
        grads_by_accumulator = walk.run([var._grad_node or var._as_leaf() for var in roots], starts)
    if not (create_graph if retain_graph is None else retain_graph):
        walk.free()
    tape().end_step()
    results = []
    for var, accumulator in zip(targets, accumulators, strict=True):
        value = grads_by_accumulator.get(accumulator)
        if value is None and not allow_unused:
            raise EnforceNotMet(
                f"grad: no output was computed from {var.name} of inputs; pass allow_unused=True to get None for it"
            )
        results.append(None if value is None else _result(var, value, create_graph))
    return results


def _result(var: VarBase, grad: Any, create_graph: bool) -> VarBase:
    """The gradient of a variable under its name; with create_graph it is not stopped, whatever it depends on."""
    made = grad if create_graph else VarBase(to_dense(grad) if type(grad) is SelectedRows else grad)
    made.name, made.stop_gradient = var._grad_name(), not create_graph
    return made


def _variables(what: str, value: object) -> list[VarBase]:
    variables: list[Any] = list(value) if isinstance(value, list | tuple | set) else [value]
    if not variables and what != "no_grad_vars":
        raise ArgumentError(f"grad: {what} must hold at least one variable, got none")
    for var in variables:
        if not isinstance(var, VarBase):
            raise ArgumentError(
                f"grad: {what} must be a variable of the imperative mode or a list of them, got {type(var).__name__}"
            )
    return variables


def _starts(roots: list[VarBase], grad_outputs: object) -> list[VarBase]:
    starts = (
        list(grad_outputs) if isinstance(grad_outputs, list | tuple) else [] if grad_outputs is None else [grad_outputs]
    )
    starts = starts or [None] * len(roots)
    if len(starts) != len(roots):
        raise ArgumentError(f"grad: grad_outputs must have one entry per output, {len(roots)}, got {len(starts)}")
    checked = []
    for root, start in zip(roots, starts, strict=True):
        if start is None:
            start = VarBase(torch.ones_like(root._t))
        elif not isinstance(start, VarBase):
            raise ArgumentError(f"grad: grad_outputs must hold variables or None, got {type(start).__name__}")
        elif start.shape != root.shape:
            raise ShapeError(f"grad: {root.name} has the shape {root.shape}, its entry of grad_outputs {start.shape}")
        checked.append(start)
    return checked


class _Walk:
    """One backward traversal, to the accumulators asked for. Gradients are tensors, or with `record` variables."""

    def __init__(self, targets: list[Any], blocked: set[Any], record: bool):
        self.targets, self.blocked, self.record = set(targets), blocked, record
        self.grads: dict[Any, Any] = {}
        self.leading: list[Node] = []  # nodes from which a target is reached, first made first
        self.leads: set[Node] = set()

    def run(self, accumulators: list[Any], starts: list[VarBase]) -> dict[Any, Any]:
        self._find(
            [
                accumulator.node
                for accumulator in accumulators
                if accumulator.node is not None and accumulator not in self.blocked
            ]
        )
        for accumulator, start in zip(accumulators, starts, strict=True):
            self._add(accumulator, scale(start, scale=1.0) if self.record else start._t)
        for node in reversed(self.leading):
            self._pass_on(node)
        return self.grads

    def free(self) -> None:
        for node in self.leading:
            node.saved, node.sources = FREED, ()

    def _find(self, stack: list[Node]) -> None:
        seen = set(stack)
        nodes = []
        while stack:
            node = stack.pop()
            if node.saved is FREED:
                raise ModeError(
                    f"grad: the graph behind {node.recipe.op.type} was freed by an earlier backward() or grad(); "
                    "pass retain_graph=True the first time, or compute the outputs again"
                )
            nodes.append(node)
            for accumulator in self._open(node.sources):
                if accumulator.node is not None and accumulator.node not in seen:
                    seen.add(accumulator.node)
                    stack.append(accumulator.node)
        nodes.sort(key=lambda node: node.order)
        for node in nodes:
            if any(self._wanted(accumulator) for accumulator in self._open(node.sources)):
                self.leads.add(node)
                self.leading.append(node)

    def _open(self, sources: Iterable[Any]) -> Iterator[Any]:
        """The accumulators among the sources of a node that a gradient may go to."""
        for source in sources:
            for accumulator in source if type(source) is list else (source,):
                if accumulator is not None and type(accumulator) is not Stopped and accumulator not in self.blocked:
                    yield accumulator

    def _wanted(self, accumulator: Accumulator) -> bool:
        return accumulator in self.targets or accumulator.node in self.leads

    def _pass_on(self, node: Node) -> None:
        grads = self._take(node) if node.outs is None else [self._take_out(node, index) for index in node.outs]
        if not _any(grads):
            return
        needs = tuple(
            [any(self._wanted(accumulator) for accumulator in self._open([source])) for source in node.sources]
        )
        results = rerun(node, grads) if self.record else _gradients(node, grads, needs)
        for source, result in zip(node.sources, results, strict=True):
            if type(source) is list:
                for part_source, part in zip(source, result or [None] * len(source), strict=True):
                    self._offer(part_source, part)
            else:
                self._offer(source, result)

    def _take_out(self, node: Node, at: Any) -> Any:
        """The gradient of an output slot."""
        if type(at) is list:
            return [self._take(Out(node, i)) for i in at]
        return None if at is None else self._take(Out(node, at))

    def _take(self, accumulator: Accumulator) -> Gradient | None:
        return self.grads.get(accumulator) if accumulator in self.targets else self.grads.pop(accumulator, None)

    def _offer(self, accumulator: Accumulator, grad: Gradient | None) -> None:
        if grad is not None and any(self._wanted(one) for one in self._open([accumulator])):
            self._add(accumulator, grad)

    def _add(self, accumulator: Accumulator, grad: Gradient) -> None:
        have = self.grads.get(accumulator)
        if have is not None:
            grad = elementwise_add(have, grad) if self.record else add_gradients(have, grad)
        self.grads[accumulator] = grad


def _any(grads: object) -> bool:
    return any(map(_any, grads)) if type(grads) is list else grads is not None


def _gradients(node: Node, grads: object, needs: tuple[bool, ...]) -> tuple:
    """The gradients of one call, as backward computes them."""
    recipe = node.recipe
    if type(grads) is SelectedRows:
        grads = to_dense(grads)
    results = recipe.back(node.saved, grads, node.attrs, needs)
    return (results,) if recipe.single else results
