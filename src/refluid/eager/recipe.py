"""How the imperative mode runs, saves and replays an operator: Python source compiled once per operator.

What is written out here for every operator call (checks, wrapping, remembering) would otherwise be loops over slots;
on small tensors that is most of the time.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from refluid.eager.graph import LIVE, Node, Out, next_order, source_of
from refluid.eager.variable import VarBase
from refluid.ops.checks import wrong_dtype
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX, output_of


class Read(NamedTuple):
    """What a parameter of the gradient kernel is made of."""

    slot: int  # the gradient's input slot
    kind: str  # "value", "shape" or "lod" of an input or output; "grad" of an output
    name: str  # of that input or output
    at: int | None  # where it is kept; of a "grad", where the shape of zeros in its stead is kept


class Input(NamedTuple):
    at: int


class Output(NamedTuple):
    at: int


class Names(NamedTuple):
    """What the values of a call are called in a function that is being written."""

    inputs: list[str]
    outputs: str  # all of them, or the only one
    single: bool

    def of(self, origin: Input | Output) -> str:
        if isinstance(origin, Input):
            return self.inputs[origin.at]
        return self.outputs if self.single else f"{self.outputs}[{origin.at}]"


class Saved(NamedTuple):
    """What a node keeps of one input or output."""

    origin: Input | Output
    kind: str  # "value", "shape", "lod", or "meta": shape, dtype and device
    many: bool = False
    optional: bool = False

    def text(self, names: Names) -> str:
        """It as an expression of Python."""
        value = names.of(self.origin)
        if self.kind == "value":
            return value
        if self.kind == "lod":
            return f"lods[{self.origin.at}]"
        if self.kind == "meta":
            return f"[meta(v) for v in {value}]" if self.many else f"meta({value})"
        shape = f"[v.shape for v in {value}]" if self.many else f"{value}.shape"
        return f"(None if {value} is None else {shape})" if self.optional else shape


class PostponableAt(NamedTuple):
    """Where a node has what `Postponable` names; see Note [Postponed gradients]."""

    weight: int  # index of the input among the sources
    reads: int  # index of the input that its gradient is computed from among the sources
    saved: int  # index of the value of that input among what is saved
    unless: str  # an attribute: where it is set, the gradient cannot be postponed


class Refused(Exception):
    """The fast path does not take this call."""


class Recipe:
    """`save(ins, lods, outs)` gives what to keep; `back(saved, grads, attrs, needs)` calls the gradient kernel.

    `ins` and `outs` are raw values per slot; `grads` is the gradient of the output, or one per output slot (None: there
    is none).
    """

    def __init__(self, op: OpDef):
        self.op = op
        gradient = op.gradient
        if gradient is None:
            raise ValueError(f"{op.type} has no gradient")
        saves: list[Saved] = []
        args: list[str] = []
        one_out = (
            len(op.outputs) - len(op.nograd_outputs) == 1
        )  # then backward comes here with its gradient or not at all
        self.reads: list[Read] = []
        for param in gradient.params:
            slot = gradient.inputs[param.slot]
            name = slot.name
            if name in op.input_index or name in op.output_index:
                args.append(f"saved[{len(saves)}]")
                self.reads.append(Read(param.slot, param.kind, name, len(saves)))
                index = op.input_index.get(name)
                origin = Output(op.output_index[name]) if index is None else Input(index)
                saves.append(Saved(origin, param.kind, slot.duplicable, slot.dispensable))
            else:
                out = op.output_index[output_of(name)]
                grad = "grads" if _alone(op) else f"grads[{out}]"
                zeros = not slot.dispensable and not (_alone(op) or (one_out and not op.outputs[out].duplicable))
                self.reads.append(Read(param.slot, "grad", op.outputs[out].name, len(saves) if zeros else None))
                if not zeros:
                    args.append(grad)
                elif op.outputs[out].duplicable:
                    args.append(f"[zeros(m) if g is None else g for g, m in zip({grad}, saved[{len(saves)}])]")
                    saves.append(Saved(Output(out), "meta", many=True))
                else:
                    args.append(f"(zeros(saved[{len(saves)}]) if {grad} is None else {grad})")
                    saves.append(Saved(Output(out), "meta"))
        self.saves = saves
        self.defaults = {
            attr.param: op.attrs[name].default for name, attr in gradient.attrs.items() if name in op.attrs
        }
        self.attr_names = frozenset(self.defaults)
        # Looked up one by one: a dictionary of them would be made for every call of every backward pass.
        call = adding = ", ".join([*args, *(f"{name}=attrs.get({name!r}, default_{name})" for name in self.defaults)])
        if "needs" in gradient.engine:
            call += ", needs=needs"
        if "device" in gradient.engine:
            call += ", device=device()"
        # Which output of the gradient kernel belongs to which input slot of the forward operator.
        self.slots = [op.input_index[slot.name.removesuffix(GRAD_SUFFIX)] for slot in gradient.outputs]
        self.single = len(self.slots) == 1
        space: dict[str, Any] = {
            "kernel": gradient.kernel, "zeros": _zeros, "meta": _meta, "device": _device, "LIVE": LIVE,
            **{f"default_{name}": value for name, value in self.defaults.items()},
            **{f"add_{name}": rule for name, rule in gradient.rules.adds.items()},
        }  # fmt: skip
        names = Names([f"ins[{i}]" for i in range(len(op.inputs))], "outs", op.single)
        lines = [
            f"def adding_{n}(total, saved, grads, attrs): return add_{n}(total, {adding})\n"
            for n in gradient.rules.adds
        ]
        text = (
            "".join(lines) + f"def save(ins, lods, outs): return {_tuple([one.text(names) for one in saves])}\n"
            f"def back(saved, grads, attrs, needs): return kernel({call})\n"
            f"def needs(s): return {_tuple([f'type(s[{i}]) in LIVE' for i in range(len(self.slots))])}\n"
        )
        exec(compile(text, f"<recipe of {op.type}>", "exec"), space)
        self.save: Callable = space["save"]
        self.back: Callable = space["back"]
        self.needs: Callable = space["needs"]  # which of a node's sources want gradients
        self.wants_needs = "needs" in gradient.engine
        # Which of the sources are added to in place, and how; see OpDef.adds.
        self.adding: dict[int, Callable] = {
            i: space[f"adding_{op.inputs[slot].name}"]
            for i, slot in enumerate(self.slots)
            if op.inputs[slot].name in gradient.rules.adds
        }

        self.postponable = self._postponable(gradient) if _alone(op) else None

    def _postponable(self, gradient: OpDef) -> PostponableAt | None:
        rule = gradient.rules.postponed
        if rule is None:
            return None
        weight, source = (self.slots.index(self.op.input_index[name]) for name in (rule.name, rule.reads))
        saved = next((read.at for read in self.reads if (read.name, read.kind) == (rule.reads, "value")), None)
        if saved is None:
            raise ValueError(f"{gradient.type} does not read {rule.reads}")
        return PostponableAt(weight, source, saved, rule.unless)

    def attrs(self, given: dict[str, Any]) -> dict[str, Any]:
        """The attributes that the gradient kernel takes."""
        if not self.attr_names:
            return {}
        return {**self.defaults, **{name: value for name, value in given.items() if name in self.attr_names}}


_recipes: dict[OpDef, Recipe] = {}


def recipe_of(op: OpDef) -> Recipe:
    """The recipe of an operator, made on first use."""
    found = _recipes.get(op)
    if found is None:
        found = _recipes[op] = Recipe(op)
    return found


def fast_run(op: OpDef, count: int) -> Callable | None:
    """`run(tape, inputs, attrs)` for `count` inputs of an operator: what Tape._run_any does, written out.

    Refused: an input is not one variable with a dense value, or not the list that the slot takes; the kernel has not
    been called. Whatever else it raises is the kernel's own error.
    """
    values_only = all(param.kind == "value" for param in op.params)
    several = not op.single and any(slot.duplicable for slot in op.outputs)
    provided = not set(op.engine) - {"rng"}
    if not provided or not values_only or several or op.inplace or op.makes_lod or count > len(op.inputs):
        return None
    if not op.outputs:
        return None
    recipe = recipe_of(op) if op.has_gradient and op.gradient is not None else None
    many = [slot.duplicable for slot in op.inputs]
    ins = [f"t{i}" for i in range(count)]
    lines = ["def run(tape, inputs, attrs):"]
    if count:
        lines.append("    try:")
        lines.append(f"        {', '.join(f'x{i}' for i in range(count))}, = inputs")
    for i in range(count):
        lines.append(f"        t{i} = [v._t for v in x{i}]" if many[i] else f"        t{i} = x{i}._t")
    for i in (index for index in op.dtypes if index < count):
        t = "t" if many[i] else f"t{i}"
        if many[i]:
            lines.append(f"        for t in t{i}:")
        indent = "            " if many[i] else "        "
        lines.append(f"{indent}if {t}.dtype not in allowed{i}: raise wrong_dtype(op, {i}, {t}.dtype)")
    if count:
        lines += ["    except (AttributeError, TypeError) as error:", "        raise Refused from error"]
    absent = ["None" for _ in itertools.takewhile(lambda slot: slot.dispensable, op.inputs[count:])]
    arguments = [*ins, *absent, "**attrs", *(["rng=tape.generator(attrs)"] if op.engine else [])]
    lines.append(f"    r = kernel({', '.join(arguments)})")
    if _alone(op):
        if op.outputs[0].dispensable:
            lines.append("    if r is None: return None")
        lines += ["    out = new(VarBase)", "    out._t = r"]
    elif op.single:
        lines.append("    out = [VarBase(one) for one in r]")
    else:
        results = [f"r{i}" for i in range(len(op.outputs))]
        lines.append(f"    {', '.join(results)}, = r")
        lines += [f"    o{i} = None if r{i} is None else VarBase(r{i})" for i in range(len(op.outputs))]
        lines.append(f"    out = {_tuple([f'o{i}' for i in range(len(op.outputs))])}")
    if recipe is not None:
        lines += _remembering(op, recipe, count, many, ins)
    lines.append("    return out")
    space: dict[str, Any] = {
        "op": op, "kernel": op.kernel, "VarBase": VarBase, "new": VarBase.__new__, "recipe": recipe, "Node": Node,
        "Out": Out, "next_order": next_order, "source_of": source_of, "ref": weakref.ref, "wrong_dtype": wrong_dtype,
        "meta": _meta, "Refused": Refused, "floating": _floating,
        **{f"allowed{index}": allowed for index, allowed in op.dtypes.items()},
    }  # fmt: skip
    exec(compile("\n".join(lines), f"<recipe of {op.type}>", "exec"), space)
    return space["run"]


def _remembering(op: OpDef, recipe: Recipe, count: int, many: list[bool], ins: list[str]) -> list[str]:
    """The lines of `fast_run` that leave a node behind."""
    stopped, sources = [], []
    for i in recipe.slots:
        if i >= count:
            sources.append("None")
        elif many[i]:
            stopped.append(f"all([v.stop_gradient for v in x{i}])")
            sources.append(f"[(v._stopped if v.stop_gradient else v._grad_node) or source_of(v) for v in x{i}]")
        else:
            stopped.append(f"x{i}.stop_gradient")
            sources.append(f"(x{i}._stopped if x{i}.stop_gradient else x{i}._grad_node) or source_of(x{i})")
    names = Names(ins + ["None"] * (len(op.inputs) - count), "r", op.single)
    padded = ", ".join(names.inputs)
    first = "r" if _alone(op) else "r[0]" if op.single else "r0"
    lines = [
        "    if tape.recording:",
        "        try:",
        f"            dense = {first}.is_floating_point()",
        "        except (AttributeError, IndexError):  # None, rows of a tensor, a list without elements",
        f"            tape.remember_call(op, inputs, attrs, [{padded}], r, out)",
        "            return out",
        "        if not dense:",
        "            pass",
        f"        elif {' and '.join(stopped) or 'True'}:",
        f"            tape.remember_call(op, inputs, attrs, [{padded}], r, out)",
        "        else:",
        "            node = Node()",
        "            node.recipe = recipe",
        "            node.attrs = attrs",
        f"            node.saved = {_tuple([one.text(names) for one in recipe.saves])}",
        f"            node.sources = {_tuple(sources)}",
        "            node.order = next_order()",
    ]
    if _alone(op):
        links = ["out._weak = node.var = ref(out)", "out._grad_node = node", "out.stop_gradient = False"]
    elif op.single:
        links = [
            "node.outs = ([*range(len(out))],)",
            "node.grads = [None] * len(out)",
            "node.vars = refs = []",
            "for i, o in enumerate(out):",
            "    o._weak = weak = ref(o)",
            "    refs.append(weak)",
            "    o._grad_node = Out(node, i)",
            "    o.stop_gradient = False",
        ]
    else:
        with_gradient = [i for i in range(len(op.outputs)) if i not in op.nograd_outputs]
        numbers = [with_gradient.index(i) if i in with_gradient else None for i in range(len(op.outputs))]
        links = [
            f"node.outs = {tuple(numbers)}",
            f"node.grads = {[None] * len(with_gradient)}",
            f"node.vars = refs = {[None] * len(with_gradient)}",
        ]
        for n, i in enumerate(with_gradient):
            links += [
                f"if floating(r{i}):",
                f"    o{i}._weak = refs[{n}] = ref(o{i})",
                f"    o{i}._grad_node = Out(node, {n})",
                f"    o{i}.stop_gradient = False",
            ]
    return [*lines, *(f"            {line}" for line in links)]


def _alone(op: OpDef) -> bool:
    """Whether there is one output and it is one variable."""
    return op.single and not op.outputs[0].duplicable


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if parts else ''})"


def _floating(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _meta(value: torch.Tensor) -> tuple:
    return value.shape, value.dtype, value.device


def _zeros(meta: tuple) -> torch.Tensor:
    return torch.zeros(meta[0], dtype=meta[1], device=meta[2])


def _device() -> torch.device:
    from refluid.eager.base import tape  # which is made of recipes

    return tape().device
