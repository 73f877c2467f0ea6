"""The tape: the imperative mode. Runs an operator call at once and remembers what its gradient needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from refluid.core import mode, random
from refluid.core.callsite import site_rows
from refluid.core.dtypes import TORCH_NAME
from refluid.core.errors import ArgumentError, EnforceNotMet, ModeError
from refluid.core.places import CPU
from refluid.core.warn import warn_once
from refluid.eager.graph import Accumulator, Leaf, Node, Out, Stopped, next_order, source_of
from refluid.eager.postponed import settle_readers
from refluid.eager.recipe import Refused, fast_run, recipe_of
from refluid.eager.variable import VarBase
from refluid.ir.program import default_main_program
from refluid.ir.variable import Variable
from refluid.ops import registry
from refluid.ops.checks import wrong_attr, wrong_dtype
from refluid.ops.failure import refusal
from refluid.ops.registry import OpDef

if TYPE_CHECKING:
    from torch import Tensor

# Note [Gradients nobody asked for]
# In 1.5 results of to_variable received gradients though they are stopped by default, and programs of that age rely on
# it. So calls whose inputs are all stopped are remembered too, for the case that nothing in the graph of a loss asks
# for gradients. Such nodes carry the number of the step (`Tape.end_step` at every backward or update) and are not
# linked to those of an earlier step; a chain of them has at most _DEPTH links. So a running sum does not grow.
_DEPTH = 1000
_steps = itertools.count(1)  # of all threads, so that none takes a step of another for its own


class _Calls(dict[int, Any]):
    """How an operator is called: by the number of inputs the fast path, or None if there is none (see fast_run)."""

    def __init__(self, op: OpDef):
        super().__init__()
        self.op = op
        self.hinted = False  # whether it was ever called with attributes that are not the kernel's
        self.spellings: dict[tuple, list[tuple[str, str]]] = {}  # and which of those given then are

    def __missing__(self, count: int) -> Callable[..., Any] | None:
        self[count] = found = fast_run(self.op, count)
        return found


class _AllCalls(dict[OpDef, _Calls]):
    def __missing__(self, op: OpDef) -> _Calls:
        self[op] = found = _Calls(op)
        return found


_calls = _AllCalls()


class Tape(mode.Immediate):
    lods = False  # whether any variable of the process has a LoD: only then is there something to pass on

    def __init__(self, device: torch.device = CPU, around: Tape | None = None) -> None:
        """`around` is the tape of the guard around."""
        self.device = device
        self.recording = True
        self.step: int = next(_steps) if around is None else around.step
        # 2.0-alpha, by its documents: gradient() of what was stopped and took part is zeros, not None.
        self.zeros_where_stopped: bool = around is not None and around.zeros_where_stopped
        self.freeing = False  # whether the backward pass under way is the last through its graph

    def remember(self, on: bool) -> None:
        self.recording = on

    def end_step(self) -> None:
        """A backward pass or an update has come: see Note [Gradients nobody asked for]."""
        self.step = next(_steps)

    @staticmethod
    def expect_lods() -> None:
        """A variable with a LoD has come into being."""
        if not Tape.lods:
            Tape.lods = True

    def run(self, op: OpDef, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None, name: object) -> Any:
        calls = _calls[op]
        if calls.hinted:
            attrs = self._known_attrs(calls, attrs)
        if outs is None and not self.lods:
            if inputs and inputs[-1] is None:
                inputs = _given(inputs)
            quick = calls[len(inputs)]
            if quick is not None:
                try:
                    return quick(self, inputs, attrs)
                except Refused:  # before the kernel was called
                    pass
                except Exception as error:
                    # An attribute that the kernel does not have: Python has not called it either.
                    if not isinstance(error, TypeError) or calls.hinted or attrs.keys() <= op.attr_params:
                        raise self._explain(error, op, inputs, attrs) from None
        if not calls.hinted and not attrs.keys() <= op.attr_params:
            calls.hinted = True
            return Tape.run(self, op, inputs, attrs, outs, name)
        return self._run_any(op, inputs, attrs, outs)

    def _run_any(self, op: OpDef, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None) -> Any:
        try:
            ins, lods, results = self._call_kernel(op, inputs, attrs)
        except Exception as error:
            raise self._explain(error, op, inputs, attrs) from None
        raw = (results,) if op.single else results or ()
        wrapped = tuple(_wrap(result) for result in raw)
        if self.recording and op.has_gradient:
            if op.single and not op.outputs[0].duplicable:
                self._remember(op, inputs, attrs, ins, lods, results, wrapped[0])
            else:
                self._remember_many(op, inputs, attrs, ins, lods, results, wrapped)
        if self.lods or op.makes_lod:
            self._pass_lods(op, inputs, ins, attrs, wrapped)
        out = wrapped[0] if op.single else wrapped
        return out if outs is None else _write(op, out, outs)

    def append(self, call: tuple, insert: Callable[[], Any]) -> Any:
        _, inputs, outputs, *_ = call
        arguments = (value for slots in (inputs, outputs) for value in (slots or {}).values())
        flat = (one for value in arguments for one in (value if isinstance(value, list | tuple) else [value]))
        if any(getattr(one, "is_imperative", False) for one in flat):
            return self.append_at_once(*call)
        return insert()

    def append_at_once(
        self,
        type: str,
        inputs: dict[str, Any] | None,
        outputs: dict[str, Any] | None,
        attrs: dict[str, Any] | None,
        stop_gradient: bool = False,
    ) -> None:
        """Run an operator told as `Block.append_op` is: variables or lists of them by slot."""
        inputs, outputs = inputs or {}, outputs or {}
        op = registry.get(type)
        for what, by_slot, slots in (("input", inputs, op.input_index), ("output", outputs, op.output_index)):
            for name in by_slot:
                if name not in slots:
                    raise ArgumentError(f"{type} has no {what} {name!r}; it has {', '.join(slots)}")
        taken = [_fitting(inputs.get(slot.name), slot.duplicable) for slot in op.inputs]
        written = {slot.name: _fitting(outputs.get(slot.name), slot.duplicable) for slot in op.outputs}
        was, self.recording = self.recording, self.recording and not stop_gradient
        try:
            op(*taken, outs={name: value for name, value in written.items() if value is not None}, **(attrs or {}))
        finally:
            self.recording = was

    # -- running ------------------------------------------------------------------------------------------------

    def _call_kernel(self, op: OpDef, inputs: tuple, attrs: dict[str, Any]) -> tuple[list, list, Any]:
        """The values, LoDs and results of a call of any operator: with lists, shapes, LoDs, random numbers, devices."""
        n = len(op.inputs)
        padded = (*inputs, *(None,) * (n - len(inputs)))
        ins = [_raw(v) for v in padded]
        lods = [_lod(v) for v in padded]
        for index, allowed in op.dtypes.items():
            value = ins[index]
            for tensor in value if isinstance(value, list) else (value,):
                if isinstance(tensor, torch.Tensor) and tensor.dtype not in allowed:
                    raise wrong_dtype(op, index, tensor.dtype)
        if op.inplace:
            settle_readers([ins[index] for index in op.inplace.values()])
        args = []
        for param in op.params:
            value = ins[param.slot]
            if value is None and not op.inputs[param.slot].dispensable and param.kind == "value":
                raise ArgumentError(f"input {op.inputs[param.slot].name} is missing")
            args.append(lods[param.slot] if param.kind == "lod" else _shape(value) if param.kind == "shape" else value)
        extra: dict[str, Any] = {}
        for name in op.engine:
            if name == "rng":
                extra["rng"] = self.generator(attrs)
            elif name == "device":
                extra["device"] = self.device
            else:
                extra["needs"] = (True,) * len(op.outputs)
        return ins, lods, op.kernel(*args, **attrs, **extra)

    def generator(self, attrs: dict[str, Any]) -> torch.Generator:
        seed = attrs.get("seed", 0) if attrs.get("fix_seed", True) else 0
        if seed:
            return random.fresh(int(seed))
        return random.stream_of(default_main_program().random)

    def _known_attrs(self, calls: _Calls, attrs: dict[str, Any]) -> dict[str, Any]:
        """The kernel's own attributes under their Python names; hints and unknown ones are left out."""
        if attrs.keys() <= calls.op.attr_params:
            return attrs
        wanted = calls.spellings.get(tuple(attrs))
        if wanted is None:
            wanted = calls.spellings[tuple(attrs)] = self._spellings(calls.op, attrs)
        return {param: value for name, param in wanted if (value := attrs[name]) is not None}

    def _spellings(self, op: OpDef, attrs: dict[str, Any]) -> list[tuple[str, str]]:
        """The attributes that the kernel takes, with their Python names."""
        for name in attrs:
            if not op.has_attr(name) and name not in op.attr_params:
                known = ", ".join(op.attrs) or "none"
                warn_once(f"{op.type}: unknown attribute {name!r} is not used, as in Fluid; it has {known}")
        params = [(name, op.attrs[name].param if name in op.attrs else name) for name in attrs]
        return [(name, param) for name, param in params if param in op.attr_params]

    def _pass_lods(self, op: OpDef, inputs: tuple, ins: list, attrs: dict, outs: tuple) -> None:
        """Give the outputs their LoDs; see Note [Who owns the LoD]."""
        if op.tells_lod:
            lists = [out if isinstance(out, list) else [out] for out in outs]
            return self._give_lods(outs, [[getattr(_raw(part), "lod", None) for part in out] for out in lists])
        lods = [_lod(v) for v in inputs]
        if (
            not any(part is not None for lod in lods for part in (lod if isinstance(lod, list) else [lod]))
            and not op.rules.lods
        ):
            return
        if op.rules.lods is not None:
            padded = [*lods, *[None] * (len(op.inputs) - len(lods))]
            out_lods = list(
                op.rules.lods(padded, [*ins, *[None] * (len(op.inputs) - len(ins))], op.complete_attrs(attrs))
            )
        elif op.lod is None:
            return
        else:
            slots = [op.input_index[s] for s in op.lod.split()] if op.lod else range(len(lods))
            flat = [
                part for i in slots if i < len(lods) for part in (lods[i] if isinstance(lods[i], list) else [lods[i]])
            ]
            out_lods = [next((lod for lod in flat if lod is not None), None)] * len(outs)
        self._give_lods(
            outs, [[lod] * len(out) if isinstance(out, list) else [lod] for out, lod in zip(outs, out_lods)]
        )

    def _give_lods(self, outs: tuple, lods: list[list]) -> None:
        for out, out_lods in zip(outs, lods):
            for var, lod in zip(out if isinstance(out, list) else [out], out_lods):
                if isinstance(var, VarBase):
                    var._lod = lod
                    if lod is not None:
                        self.expect_lods()  # operators such as lod_reset make the first one

    # -- remembering --------------------------------------------------------------------------------------------

    def remember_call(self, op: OpDef, inputs: tuple, attrs: dict, ins: list, result: Any, out: Any) -> None:
        """Remember a call of any kind: with inputs that are all stopped, or results that are no dense tensors."""
        if not op.single:
            self._remember_many(op, inputs, attrs, ins, None, result, out)
        elif type(out) is list:
            self._remember_many(op, inputs, attrs, ins, None, result, (out,))
        else:
            self._remember(op, inputs, attrs, ins, None, result, out)

    def _remember(
        self, op: OpDef, inputs: tuple, attrs: dict, ins: list, lods: object, result: object, out: VarBase
    ) -> None:
        if not _floating(result):
            return
        node = self._node(op, inputs, attrs, ins, lods, result)
        if node is not None:
            node.var = out._ref()
            out._grad_node = node
            out.stop_gradient = node.stamp != 0

    def _remember_many(
        self, op: OpDef, inputs: tuple, attrs: dict, ins: list, lods: object, raw: object, outs: tuple
    ) -> None:
        node = self._node(op, inputs, attrs, ins, lods, raw)
        if node is None:
            return
        indices: list[Any] = []
        node.outs, node.grads, node.vars = indices, [], []
        for index, out in enumerate(outs):
            if out is None or index in op.nograd_outputs:
                indices.append(None)
            else:
                indices.append([_gather(node, v) for v in out] if isinstance(out, list) else _gather(node, out))

    def _node(self, op: OpDef, inputs: tuple, attrs: dict, ins: list, lods: object, outs: object) -> Node | None:
        if op.gradient is None:
            return None
        recipe = recipe_of(op)
        differentiated = [inputs[slot] if slot < len(inputs) else None for slot in recipe.slots]
        flat = [
            v
            for value in differentiated
            for v in (value if isinstance(value, list | tuple) else [value])
            if v is not None
        ]
        asked = any(not v.stop_gradient for v in flat)
        find = source_of if asked else self.source_of_stopped
        sources: list[Any] = []
        for value in differentiated:
            if isinstance(value, list | tuple):
                origins = [find(v) for v in value]
                sources.append(origins if any(s is not None and type(s) is not Stopped for s in origins) else None)
            else:
                sources.append(None if value is None else find(value))
        node = Node()
        node.recipe, node.attrs, node.sources, node.order = recipe, attrs, tuple(sources), next_order()
        if True not in node.needs():
            return None
        node.saved = recipe.save(ins, lods, outs)
        if not asked:
            node.stamp = self.step
            node.depth = 1 + max((s.node.depth for s in sources if isinstance(s, Node | Out)), default=0)
        return node

    def source_of_stopped(self, var: VarBase) -> Accumulator | Stopped | None:
        """What accumulates the gradient of a stopped input, if backward comes and nothing asks for gradients."""
        accumulator = var._grad_node
        if accumulator is not None and type(accumulator) is not Leaf:
            node = accumulator.node
            if not node.stamp:  # stopped by hand: its own graph is kept until stop_gradient is False again
                return source_of(var)
            if node.stamp != self.step or node.depth >= _DEPTH:
                accumulator = None
        if accumulator is None:
            if not _floating(var._t):
                return None
            accumulator = var._grad_node = Leaf(var._ref())
        return accumulator

    # -- refusing -----------------------------------------------------------------------------------------------

    def _explain(self, error: Exception, op: OpDef, inputs: tuple, attrs: dict[str, Any]) -> Exception:
        for slot, value in zip(op.inputs, inputs, strict=False):
            several = isinstance(value, list | tuple)
            for var in value if several else [value]:
                if not isinstance(var, VarBase) and (var is not None or several):
                    return _foreign(op, slot.name, var)
            if several and not slot.duplicable:
                return _foreign(op, slot.name, value)
        missing = [
            s.name for i, s in enumerate(op.inputs) if not s.dispensable and (i >= len(inputs) or _absent(inputs[i]))
        ]
        unset = [a.name for a in op.attrs.values() if a.required and a.param not in attrs]
        if missing or unset:
            what = f"input {missing[0]}" if missing else f"attribute {unset[0]!r}"
            refused: EnforceNotMet | None = ArgumentError(f"{what} is missing")
        else:
            raw = (_raw(value) for value in inputs)
            wrong = None if isinstance(error, EnforceNotMet) else wrong_attr(op, attrs)
            refused = wrong or refusal(error, zip((slot.name for slot in op.inputs), raw, strict=False))
        if refused is None:
            return error
        rows = []
        for slot, value in zip(op.inputs, inputs, strict=False):
            for var in value if isinstance(value, list | tuple) else [value]:
                if var is not None:
                    t = var._t
                    kind = (
                        f"{TORCH_NAME.get(t.dtype)} {list(t.shape)}"
                        if isinstance(t, torch.Tensor)
                        else type(t).__name__
                    )
                    rows.append((slot.name, f"{var.name}  {kind}"))
        shown = ", ".join(f"{name}={value!r}" for name, value in attrs.items())
        if shown:
            rows.append(("attrs", shown))
        rows += site_rows("called")
        return refused.within(op.type, rows).shortened()


def _fitting(value: object, duplicable: bool) -> Any:
    """A list for a slot of many, a variable for one of one."""
    if value is None:
        return None
    listed = list(value) if isinstance(value, list | tuple) else [value]
    return listed if duplicable else listed[0] if listed else None


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, list | tuple) and not value)


def _given(inputs: tuple) -> tuple:
    """Without the absent ones at the end."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    return inputs


def _gather(node: Node, var: VarBase) -> int:
    """An accumulator for the gradient of one of several outputs; returns its index in the row."""
    index = len(node.grads)
    node.grads.append(None)
    node.vars.append(None)
    if _floating(var._t):
        node.vars[index] = var._ref()
        var._grad_node = Out(node, index)
        var.stop_gradient = node.stamp != 0
    return index


def _foreign(op: OpDef, slot: str, value: object) -> EnforceNotMet:
    if isinstance(value, Variable):
        return ModeError(
            f"{op.type}: {slot} is {value.name}, a variable of a static program, but the imperative mode is on; "
            "make it with fluid.dygraph.to_variable, or leave fluid.dygraph.guard()",
            site_rows("called"),
        )
    hint = "; wrap it with fluid.dygraph.to_variable" if hasattr(value, "__array__") else ""
    return ArgumentError(f"{op.type}: {slot} must be a Variable, got {type(value).__name__}{hint}", site_rows("called"))


def _floating(t: object) -> bool:
    return isinstance(t, torch.Tensor) and t.is_floating_point()


def _raw(value: VarBase | list[VarBase] | None) -> Tensor | list[Tensor] | None:
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [v._t for v in value]
    return value._t


def _lod(value: VarBase | list[VarBase] | None) -> Any:
    if isinstance(value, list | tuple):
        return [v._lod for v in value]
    return None if value is None else value._lod


def _shape(value: Tensor | list[Tensor] | None) -> torch.Size | list[torch.Size] | None:
    return [v.shape for v in value] if isinstance(value, list) else None if value is None else value.shape


def _wrap(value: Tensor | list[Tensor] | None) -> Any:
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [VarBase(v) for v in value]
    return VarBase(value)


def _write(op: OpDef, out: Any, outs: dict[str, Any]) -> Any:
    """Put results into the variables that the caller gave."""
    results = [out] if op.single else list(out)
    for i, slot in enumerate(op.outputs):
        targets = outs.get(slot.name)
        if targets is None:
            continue
        result = results[i]
        pairs = zip(targets, result, strict=True) if isinstance(targets, list | tuple) else [(targets, result)]
        for target, value in pairs:
            if not isinstance(target, VarBase):
                raise _foreign(op, slot.name, target)
            # An output that is its input, untouched (hierarchical_sigmoid's W_Out), must stay a leaf.
            if value is not None and target._t is not value._t:
                target._become(value)
        results[i] = targets
    return results[0] if op.single else tuple(results)
