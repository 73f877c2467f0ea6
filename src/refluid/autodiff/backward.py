"""append_backward and gradients: write the backward pass of a program into it.

The names are Fluid's: the gradient of `x` is `x@GRAD`; where several operators contribute, each writes
`x@GRAD@RENAME@block0@<n>` and a `sum` operator adds them up just before somebody reads `x@GRAD`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from refluid.autodiff.grad_op import GradOp, gradient_operators
from refluid.autodiff.recompute import checkpoint_names, rerun_segments, seed_dropouts
from refluid.core import dtypes
from refluid.core.callsite import called_function
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, ModeError, ShapeError
from refluid.core.warn import warn_once
from refluid.ir.block import Block
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.prune import needed_ops
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole
from refluid.ir.variable import Variable
from refluid.ops import registry
from refluid.ops.array.array import add_to_array
from refluid.ops.signature import GRAD_SUFFIX


def append_backward(
    loss: Variable,
    parameter_list: Iterable[Any] | None = None,
    no_grad_set: Iterable[Any] | None = None,
    callbacks: list[Callable] | None = None,
    checkpoints: list[Any] | None = None,
) -> list[tuple[Variable, Variable]]:
    """Append the gradient operators of a loss to its program.

    Args:
        loss: a variable with one element, of the static mode.
        parameter_list: variables or their names; all trainable parameters if None.
        no_grad_set: variables or names that get no gradient.
        callbacks: called as `callback(block, context)` after each gradient operator.
        checkpoints: variables or names; what lies between them is not kept but computed again (recompute.py).

    Returns:
        A list of pairs (parameter, gradient).
    """
    if not isinstance(loss, Variable):
        raise ModeError(f"append_backward: loss must be a Variable of the static mode, got {type(loss).__name__}")
    check_loss(loss)
    block = loss.block
    if loss.op is not None:
        loss.op.attrs[ROLE] = int(loss.op.attrs.get(ROLE, 0)) | OpRole.Loss
    parameters = _parameters(block, parameter_list)
    stop = stopped(block, no_grad_set)
    walk = Walk(block, stop, callbacks)
    kept = checkpoint_names(block, checkpoints) if checkpoints else []
    if kept:
        seed_dropouts(block, kept)
    forward = len(block.ops)
    with block.program.role(OpRole.Backward | OpRole.Loss):
        seed = loss.grad_name
        attrs = {"shape": [1] * (len(loss.shape) or 1), "value": 1.0, "dtype": int(loss.dtype), "force_cpu": False}
        block.append_op("fill_constant", outputs={"Out": walk.declare(seed, loss)}, attrs=attrs)
    walk.found[loss.name] = [(None, seed)]
    with block.program.role(OpRole.Backward):
        walk.back(needed_ops(_until(block, loss), {loss.name}, set()))
    pairs = []
    for param in parameters:
        grad = block.vars.get(walk.result(param.name) or "")
        if grad is not None:
            _note_parameter(block, param, grad)
            pairs.append((param, grad))
    if kept:
        rerun_segments(block, kept, forward)
    return pairs


def check_loss(loss: Variable, strictly: bool = False) -> None:
    """Refuse a loss of several elements; one of unknown size, which a batch of one makes one, unless `strictly`."""
    says = (
        f"append_backward: the loss must have one element, got {loss.name} {list(loss.shape)}; "
        "take fluid.layers.mean of it first"
    )
    if math.prod(size for size in loss.shape if strictly or size >= 0) != 1:
        raise ShapeError(says)
    if -1 in loss.shape:
        warn_once(says)


def gradients(
    targets: Variable | Sequence[Variable],
    inputs: Variable | Sequence[Variable],
    target_gradients: Variable | Sequence[Variable | None] | None = None,
    no_grad_set: Iterable[Any] | None = None,
) -> list[Variable | None]:
    """Append operators that compute the gradients of targets with respect to inputs.

    Programs may hold gradients already, so that gradients of gradients are taken by calling it again.

    Args:
        targets: a variable or a list of them.
        inputs: a variable or a list of them.
        target_gradients: the gradients of the targets to begin with; ones where None.
        no_grad_set: variables or names that gradients do not pass.

    Returns:
        One variable per input, None where the targets do not depend on it.
    """
    targets, inputs = _as_list(targets), _as_list(inputs)
    if not targets:
        raise ArgumentError("gradients: targets must be a variable or a list of them, got none")
    weights = _as_list(target_gradients) or [None] * len(targets)
    if len(weights) != len(targets):
        raise ArgumentError(f"gradients: {len(targets)} targets, but {len(weights)} target_gradients")
    for var in (*targets, *inputs):
        if not isinstance(var, Variable):
            raise ModeError(f"gradients: targets and inputs must be Variables, got {type(var).__name__}")
    for var in inputs:
        if var.stop_gradient:
            warn_once(
                f"gradients: {var.name} is stopped; its gradient is computed anyway, but Fluid computes none; set "
                "stop_gradient = False before it is used"
            )
    block = targets[0].block
    stop = stopped(block, no_grad_set) - {var.name for var in inputs}
    walk = Walk(block, stop, None)
    path = needed_ops(block.ops, {t.name for t in targets}, set())
    with block.program.role(OpRole.Backward):
        for target, weight in zip(targets, weights, strict=True):
            if weight is None:
                seed = walk.fresh(target.grad_name)
                size = block.create_var(name=walk.fresh(target.name + "_shape"), dtype="int32", stop_gradient=True)
                block.append_op("shape", {"Input": target}, {"Out": size})
                attrs = {"shape": list(target.shape), "value": 1.0, "dtype": int(target.dtype)}
                ones = walk.declare(seed, target)
                block.append_op("fill_constant", {"ShapeTensor": size}, {"Out": ones}, attrs)
                ones.adopt(target.spec())
            elif tuple(weight.shape) != tuple(target.shape):
                raise ShapeError(
                    f"gradients: target {target.name} has the shape {list(target.shape)}, "
                    f"its target_gradient {list(weight.shape)}"
                )
            else:
                seed = weight.name
            walk.found.setdefault(target.name, []).append((None, seed))
        walk.back(path)
    grads = [block.vars.get(walk.result(var.name) or "") for var in inputs]
    return [] if grads == [None] else grads  # Fluid: nothing for a single input that the targets do not depend on


def calc_gradient(
    targets: Variable | Sequence[Variable],
    inputs: Variable | Sequence[Variable],
    target_gradients: Variable | Sequence[Variable | None] | None = None,
    no_grad_set: Iterable[Any] | None = None,
) -> Variable | list[Variable | None] | None:
    """`gradients` under its older name.

    Args:
        targets: a variable or a list of them.
        inputs: a variable or a list of them.
        target_gradients: the gradients of the targets to begin with; ones where None.
        no_grad_set: variables or names that gradients do not pass.

    Returns:
        One gradient if there is one input, else a list of them; None where the targets do not depend on it.
    """
    grads = gradients(targets, inputs, target_gradients, no_grad_set)
    return grads[0] if len(grads) == 1 else grads or None


def _adds_in_place(op_type: str) -> bool:
    """Whether an operator of a backward pass adds to the gradient of an array in place; see ops/array/array.py."""
    op = registry.get(op_type)
    return op.rules.in_backward is add_to_array or (op.forward is not None and op.forward.control_flow is not None)


class Walk:
    """One backward traversal of operators: collects gradients and accumulates them."""

    def __init__(self, block: Block, stop: set[str], callbacks: list[Callable] | None, around: Walk | None = None):
        self.block = block
        self.stop = stop
        self.callbacks = callbacks or []
        # For each variable, who has contributed to its gradient under what name.
        self.found: dict[str, list[tuple[Operator | None, str]]] = {}
        self.renamed: dict[str, int] = {}
        # Names of gradients from earlier walks must not be written again; a block of gradients has its own names.
        self.taken = set(block.vars)
        self.home_vars = block.vars if around is None else block.program.blocks[block.forward_block_idx].vars
        self.inherited: set[str] = set()  # gradients that come from outside the block, and are declared there
        self.home: int = around.home if around is not None else block.program.current_block_idx
        if around is None:
            block.program.gradient_calls += 1
        self.prefix = "grad/" * block.program.gradient_calls

    def inside(self, block: Block) -> Walk:
        """A traversal of a block that an operator of this traversal runs; its gradients go to `block`."""
        return Walk(block, self.stop, self.callbacks, self)

    def back(self, path: list[Operator]) -> None:
        home = path[0].block if path else self.block
        writers = Counter(name for op in path for name in set(op.output_arg_names))
        for op in reversed(path):
            writers.subtract(set(op.output_arg_names))
            outs = {name for name in op.output_arg_names if name in self.found}
            if op.type == "increment":
                self._count_back(op)
            if not outs:
                continue
            rule = op.definition.rules.gradient_block if op.definition is not None else None
            if rule is not None:
                grad_op = rule(self, op, outs)
                if grad_op is not None:
                    self._append(grad_op)
                continue
            # What follows is about the value before, if there was one: written earlier, or outside this block.
            over = {name for name in op.replaced() & outs if writers[name] or name not in home.vars}
            parts = gradient_operators(op, outs, self.wanted)
            for grad_op in parts:
                grad_op.overwritten |= over
                self._append(grad_op)
            if not parts:
                for name in over:
                    self.found.pop(name)
                    self.renamed.pop(name, None)
        for name in [name for name, parts in self.found.items() if len(parts) > 1]:
            self._add_up(name)

    def settle(self, name: str) -> None:
        """Sum what has been contributed so far: an operator is about to read it."""
        if len(self.found.get(name, ())) > 1:
            self._add_up(name)

    def _count_back(self, op: Operator) -> None:
        """The counter that indexes an array is decremented, so that the backward pass reads the same elements."""
        (name,) = op.input("X")
        var = self.block.find_var(name)
        if op.output("Out") != [name] or var is None or var.persistable or dtypes.is_floating(var.dtype):
            return
        back = {"step": -op.attrs["step"]}
        self.block.record(Operator(self.block, "increment", {"X": [name]}, {"Out": [name]}, back, op.site))

    def result(self, name: str) -> str | None:
        parts = self.found.get(name)
        return parts[0][1] if parts else None

    def fresh(self, grad_name: str) -> str:
        """A name for a new gradient: Fluid's own unless an earlier walk has used it."""
        return self.prefix + grad_name if grad_name in self.taken else grad_name

    def declare(self, grad_name: str, like: Variable) -> Variable:
        kind = like.type if like.type == VarType.LOD_TENSOR_ARRAY else VarType.LOD_TENSOR
        home = self.block
        if grad_name in self.inherited and (known := home.find_var(grad_name)) is not None:
            return known
        return home.create_var(name=grad_name, type=kind, shape=like.shape, dtype=like._dtype, lod_level=like.lod_level)

    def wanted(self, name: str, any_dtype: bool = False) -> bool:
        var = self.block.find_var(name)
        return name not in self.stop and var is not None and (any_dtype or dtypes.is_floating(var.dtype))

    def _append(self, grad_op: GradOp) -> None:
        for name in grad_op.reads:
            self.settle(name)
        inputs = {
            slot: [self._gradient_of(owner, slot in grad_op.optional) for owner in owners]
            for slot, owners in grad_op.grad_inputs.items()
        }
        for name in grad_op.overwritten:  # what follows is the gradient of the value before
            self.found.pop(name, None)
            self.renamed.pop(name, None)
        outputs: dict[str, list[str]] = {}
        parts: list[tuple[str, str]] = []
        beside: dict[str, str] = {}  # by array: the new gradient of the operator, to be added to the accumulated one
        for slot, owners in grad_op.grad_outputs.items():
            names = []
            for owner in owners:
                if owner is None:
                    names.append(EMPTY)
                    continue
                if self._is_there(owner) and not _adds_in_place(grad_op.type):
                    name = beside[owner] = self._renamed(owner)
                else:
                    name = self._name_part(owner, [o for o, _ in parts].count(owner), parts, outputs, names)
                parts.append((owner, name))
                names.append(name)
            outputs[slot] = names
        operator = Operator(
            self.block, grad_op.type, {**grad_op.inputs, **inputs}, outputs, grad_op.attrs, grad_op.site
        )
        for owner, name in parts:
            like = self.block.find_var(owner)
            assert like is not None
            grad = self.declare(name, like)
            if owner in grad_op.overwritten and "XShape" in grad_op.inputs:
                grad.shape = self.block._var_recursive(grad_op.inputs["XShape"][0]).shape[1:]
            if grad_op.attrs.get("is_sparse") and like.persistable:
                grad.type = VarType.SELECTED_ROWS
            # else it was added to an array that is there
            if owner not in beside and not (self.block.is_array(owner) and self.result(owner) == name):
                self.found.setdefault(owner, []).append((operator, name))
        self.block.record(operator)
        for owner, name in beside.items():
            self._add_to_array(owner, name)
        for name in grad_op.reads:
            if self.block.is_array(name) and name in self.found:  # it has been read already, so it keeps its name
                self.found[name] = [(None, self.found[name][0][1])]
        for callback in self.callbacks:
            callback(block=self.block, context={owner: name for owner, name in parts})

    def _is_there(self, owner: str) -> bool:
        """Whether the owner is an array whose gradient is accumulated in place, over iterations or reads."""
        earlier = self.found.get(owner)
        return self.block.is_array(owner) and (owner not in self.home_vars or bool(earlier and earlier[0][0] is None))

    def _add_to_array(self, owner: str, part: str) -> None:
        total = self.result(owner) or self.fresh(owner + GRAD_SUFFIX)
        like = self.block.find_var(owner)
        assert like is not None
        self.declare(total, like)
        self.block.append_op("sum", {"X": [total, part]}, {"Out": total}, {"use_mkldnn": False})
        self.found[owner] = [(None, total)]

    def _gradient_of(self, owner: str, optional: bool) -> str:
        """The gradient of an output that an operator reads; zeros if there is none and the operator needs one."""
        if owner in self.found:
            return self.found[owner][0][1]
        if optional:
            return EMPTY
        like = self.block.find_var(owner)
        assert like is not None
        zeros = self.declare(self.fresh(owner + GRAD_SUFFIX), like)
        if not self.block.is_array(
            owner
        ):  # an array is empty until something is written to it; 1.8.5 has no zeros for it
            self.block.append_op("fill_zeros_like", {"X": owner}, {"Out": zeros})
        self.found[owner] = [(None, zeros.name)]
        return zeros.name

    def _name_part(self, owner: str, here: int, parts: list, outputs: dict, names: list[str]) -> str:
        """The name under which the operator being built contributes to the gradient of `owner`."""
        plain = self.fresh(owner + GRAD_SUFFIX)
        earlier = self.found.get(owner, [])
        if not earlier and not here:
            return plain
        if earlier and self._is_there(owner):
            return earlier[0][1]  # gradients of elements are accumulated in the array, in place
        if owner not in self.renamed:  # the first contributor had the plain name until now
            first = self._renamed(owner)
            if earlier:
                writer, old = earlier[0]
                if writer is not None:
                    self._rename(writer, old, first)
                    like = self.block.find_var(owner)
                    assert like is not None
                    part = self.declare(first, like)
                    if old in self.block.vars:
                        part.type = self.block.vars[old].type  # a sparse one stays sparse
                        self.block._remove_var(old)
                    self.found[owner][0] = (writer, first)
            else:
                for position, (part_owner, old) in enumerate(parts):
                    if part_owner == owner:
                        parts[position] = (owner, first)
                        names[:] = [first if n == old else n for n in names]
                        for slot in outputs:
                            outputs[slot] = [first if n == old else n for n in outputs[slot]]
        return self._renamed(owner)

    def _rename(self, writer: Operator, old: str, new: str) -> None:
        """Give a gradient another name where it is written, and where operators since have read it."""
        writer._rename_output(old, new)
        for operator in reversed(self.block.ops):
            if operator is writer:
                break
            if old in operator.input_arg_names:
                operator._rename_input(old, new)

    def _renamed(self, owner: str) -> str:
        count = self.renamed.get(owner, 0)
        self.renamed[owner] = count + 1
        forward = self.block.forward_block_idx
        home = self.block.idx if forward < 0 else forward
        return f"{self.fresh(owner + GRAD_SUFFIX)}@RENAME@block{home}@{count}"

    def _add_up(self, owner: str) -> None:
        """Write the `sum` of all contributions to the gradient of `owner`."""
        like = self.block.find_var(owner)
        assert like is not None
        total = self.declare(self.fresh(owner + GRAD_SUFFIX), like)
        names = [name for _, name in self.found[owner]]
        kinds = {self.block._var_recursive(name).type for name in names}
        if kinds == {VarType.SELECTED_ROWS}:  # rows added to rows; one dense part makes all dense
            total.type = VarType.SELECTED_ROWS
        operator = self.block.append_op("sum", {"X": names}, {"Out": total}, {"use_mkldnn": False})
        self.found[owner] = [(operator, total.name)]


def _until(block: Block, loss: Variable) -> list[Operator]:
    """The operators up to the last one that writes the loss."""
    last = max((i for i, op in enumerate(block.ops) if loss.name in op.output_arg_names), default=-1)
    return block.ops[: last + 1]


def _parameters(block: Block, chosen: Iterable[Any] | None) -> list[Variable]:
    """The trainable parameters, or the chosen variables of any kind; Fluid ignores names that do not exist."""
    home = block.program.global_block()
    if chosen is None:
        return [p for p in home.all_parameters() if p.trainable]
    parameters = []
    for entry in chosen:
        if not isinstance(entry, str | Variable):
            raise ArgumentError(
                f"append_backward: parameter_list must hold variables or names, got {type(entry).__name__}"
            )
        var = home.find_var(entry) if isinstance(entry, str) else entry
        if var is None:
            warn_once(f"append_backward: parameter_list names {entry!r}, which is no variable of the program")
        else:
            parameters.append(var)
    return parameters


def stopped(block: Block, no_grad_set: Iterable[Any] | None) -> set[str]:
    """Names of variables that no gradient goes through."""
    stop = {var.name for var in block.program.list_vars() if var.stop_gradient or not getattr(var, "trainable", True)}
    # What a loop carries is computed by the loop, though it may begin as a constant, which is stopped.
    stop -= {name for op in block.program.operators() for name in op.carried()}
    if no_grad_set is not None:
        if isinstance(no_grad_set, str | Variable) or not isinstance(no_grad_set, Iterable):
            raise ArgumentError(
                f"{called_function()}: no_grad_set must be a set of variables or names, got {no_grad_set!r:.60}"
            )
        stop |= {one if isinstance(one, str) else one.name for one in no_grad_set}
    return stop


def _note_parameter(block: Block, param: Variable, grad: Variable) -> None:
    """Note on the gradient's last writer which parameter it belongs to; the transpilers look for this."""
    for op in reversed(block.ops):
        if grad.name in op.output_arg_names:
            op.attrs[ROLE_VAR] = [param.name, grad.name, *op.attrs.get(ROLE_VAR, [])]
            return


def _as_list(value: object) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
