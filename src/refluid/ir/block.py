"""Block: a list of operators and the variables they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from refluid.core import mode
from refluid.core.callsite import user_site
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError, ShapeError
from refluid.core.warn import warn_once
from refluid.ir.members import BlockMembers
from refluid.ir.operator import EMPTY, Operator
from refluid.ir.proto_text import block_text
from refluid.ir.roles import ROLE, ROLE_VAR
from refluid.ir.variable import Parameter, Variable
from refluid.ops import registry
from refluid.ops.infer import Spec, infer
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX, Slot

if TYPE_CHECKING:
    from refluid.ir.program import Program

Slots: TypeAlias = Mapping[str, Any] | None
"""The inputs or outputs of an operator: {slot: a variable, a list of variables, or their names}."""


class Block(BlockMembers):
    """A list of operators with the variables that they read and write.

    Args:
        program: the program that it is part of.
        idx: its index there.
        parent_idx: the index of the block around it; -1 for the global block.
    """

    def __init__(self, program: Program, idx: int, parent_idx: int = -1):
        self.program = program
        self.idx = idx
        self.parent_idx = parent_idx
        self.forward_block_idx = -1
        self.vars: dict[str, Variable] = {}
        self.ops: list[Operator] = []

    # -- variables ----------------------------------------------------------------------------------------------

    @property
    def parent(self) -> Block | None:
        return self.program.blocks[self.parent_idx] if self.parent_idx >= 0 else None

    def find_var(self, name: str) -> Variable | None:
        """The variable of this name: here, in the block whose gradient this one is, or in an enclosing block."""
        block: Block | None = self
        while block is not None:
            if name in block.vars:
                return block.vars[name]
            if block.forward_block_idx >= 0:
                var = self.program.blocks[block.forward_block_idx].find_var_inside(name)
                if var is not None:
                    return var
            block = block.parent
        return None

    def find_var_inside(self, name: str) -> Variable | None:
        """The variable of this name of this block or of a block inside it: a gradient reads them all."""
        if name in self.vars:
            return self.vars[name]
        for operator in self.ops:
            inner = operator.sub_block
            var = inner.find_var_inside(name) if inner is not None else None
            if var is not None:
                return var
        return None

    def is_array(self, name: str) -> bool:
        """Whether the variable is an array of tensors, the one kind of value that is changed in place."""
        var = self.find_var(name)
        return var is not None and var.type == VarType.LOD_TENSOR_ARRAY

    def has_var(self, name: str) -> bool:
        return name in self.vars

    def var(self, name: str) -> Variable:
        if not isinstance(name, str):
            raise ArgumentError(f"Block.var: name must be a str, got {type(name).__name__}")
        if name not in self.vars:
            raise NotFoundError(f"var: {name!r} is not in block {self.idx}")
        return self.vars[name]

    def _find_var_recursive(self, name: str) -> Variable | None:
        return self.find_var(name)

    def _var_recursive(self, name: str) -> Variable:
        found = self.find_var(name)
        if found is None:
            raise NotFoundError(f"var: {name!r} is in no block of the program that block {self.idx} can see")
        return found

    def create_var(self, *, type: VarType = VarType.LOD_TENSOR, initializer: Any = None, **options: Any) -> Variable:
        """A variable of this block, or the one that has this name; `initializer(var, block)` writes its value."""
        name = options.get("name")
        if name is not None and name in self.vars:
            return self.vars[name]
        var = Variable(self, type, **options)
        self.vars[var.name] = var
        self.program.touch()
        if initializer is not None:
            initializer(var, self)
        return var

    def create_parameter(self, **options: Any) -> Parameter:
        """A parameter of the global block, or the one that has this name already."""
        home = self.program.global_block()
        name, shape = options.get("name"), options.get("shape")
        old = home.vars.get(name) if name is not None else None
        if isinstance(old, Parameter):
            if tuple(old.shape) != tuple(shape or ()):
                raise ShapeError(
                    f"create_parameter: parameter {name} has the shape {list(old.shape)} already, "
                    f"so it cannot be shared as {list(shape or ())}"
                )
            return old
        initializer = options.pop("initializer", None)
        param = Parameter(home, **options)
        home.vars[param.name] = param
        self.program.touch()
        if initializer is not None:  # it writes the first value into this block, of whichever program that is
            initializer(param, self)
        return param

    def all_parameters(self) -> list[Parameter]:
        return [var for var in self.vars.values() if isinstance(var, Parameter)]

    iter_parameters = all_parameters

    def _remove_var(self, name: str) -> None:
        del self.vars[name]
        self.program.touch()

    def _rename_var(self, name: str, new_name: str) -> Variable:
        """Rename a variable and every use of it in this block."""
        var = self.var(name)
        self.vars = {new_name if n == name else n: v for n, v in self.vars.items()}
        var.name = new_name
        for operator in self.ops:
            operator._rename_input(name, new_name)
            operator._rename_output(name, new_name)
        return var

    def _clone_variable(self, var: Variable, force_persistable: bool = True) -> Variable:
        """A variable of the same name and kind in this block; gradients reach it."""
        if var.type in (VarType.STEP_SCOPES, VarType.RAW):
            return self.create_var(type=var.type, name=var.name, persistable=var.persistable)
        return self.create_var(
            type=var.type, name=var.name, shape=var.shape, dtype=var._dtype, lod_level=var.lod_level,
            persistable=True if force_persistable else var.persistable, is_data=var.is_data,
        )  # fmt: skip

    # -- operators ----------------------------------------------------------------------------------------------

    def append_op(
        self,
        type: str = "",
        inputs: Slots | None = None,
        outputs: Slots | None = None,
        attrs: Mapping[str, Any] | None = None,
        stop_gradient: bool = False,
    ) -> Operator:
        """Append an operator; its outputs' shapes and dtypes are inferred. On imperative variables it runs at once."""
        call = (type, inputs, outputs, attrs, stop_gradient)
        return mode.current().append(call, lambda: self._insert(len(self.ops), *call))

    def _prepend_op(
        self,
        type: str = "",
        inputs: Slots | None = None,
        outputs: Slots | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> Operator:
        call = (type, inputs, outputs, attrs, False)
        return mode.current().append(call, lambda: self._insert(0, *call))

    prepend_op = _prepend_op

    def _insert_op(self, index: int, type: str = "", inputs: Slots | None = None, outputs: Slots | None = None,
                   attrs: Mapping[str, Any] | None = None) -> Operator:  # fmt: skip
        return self._insert(index, type, inputs, outputs, attrs)

    def _remove_op(self, index: int) -> None:
        del self.ops[index]
        self.program.touch()

    def _insert(
        self,
        index: int,
        type: str,
        inputs: Slots | None,
        outputs: Slots | None,
        attrs: Mapping[str, Any] | None,
        stop: bool = False,
    ) -> Operator:
        definition = registry.get(type)
        site = user_site()
        ins = _names(type, "input", inputs, definition.inputs)
        outs = _names(type, "output", outputs, definition.outputs)
        full = definition.complete_attrs(_known(definition, attrs or {}))
        operator = Operator(self, type, ins, outs, full, site)
        self.finish_attrs(full)
        self._check_slots(operator, definition)
        self.infer_outputs(operator, definition, stop)
        self.ops.insert(index, operator)
        self.program.touch()
        return operator

    def record(self, operator: Operator) -> None:
        """Append an operator whose outputs are already declared."""
        self.finish_attrs(operator.attrs)
        self.ops.append(operator)
        self.program.touch()

    def finish_attrs(self, attrs: dict[str, Any]) -> None:
        """Stamp the program's present role and name scope on an operator's attributes."""
        program = self.program
        attrs.setdefault(ROLE, int(program._op_role))
        if program._op_role_var and ROLE_VAR not in attrs:
            attrs[ROLE_VAR] = list(program._op_role_var)
        attrs.setdefault("op_namescope", program._name_scope_text())
        if program.op_device:
            attrs.setdefault("op_device", program.op_device)

    def _check_slots(self, operator: Operator, definition: OpDef) -> None:
        missing = operator.missing_input()
        if missing is not None:
            raise ArgumentError(f"{operator.type}: input {missing} is missing", operator.details())
        if definition.outputs and not operator.outputs and not definition.side_effect:
            known = ", ".join(slot.name for slot in definition.outputs)
            raise ArgumentError(f"{operator.type}: it has no output; there is {known}", operator.details())
        for slot_name, names in operator.inputs.items():
            for name in names:
                if name != EMPTY and self.find_var(name) is None:
                    raise NotFoundError(
                        f"{operator.type}: input {slot_name} names {name!r}, which is not in the program",
                        operator.details(),
                    )

    def infer_outputs(self, operator: Operator, definition: OpDef, stop: bool = False) -> None:
        """Declare the operator's outputs with what inference finds."""
        if definition.forward is not None:
            self._declare_gradients(operator)
            return
        try:
            specs = infer(definition, self.input_specs(operator, definition), operator.attrs)
        except EnforceNotMet as error:
            raise error.within(operator.type, operator.details()).shortened() from error.__cause__
        for slot, spec in zip(definition.outputs, specs, strict=True):
            names = operator.outputs.get(slot.name, [])
            slot_specs = spec if isinstance(spec, list) else [spec] * len(names)
            for name, out_spec in zip(names, slot_specs, strict=False):
                var = self.find_var(name)
                if var is None:
                    var = self.create_var(name=name)
                if out_spec is not None and not (var.persistable and var._shape):
                    var.adopt(out_spec)
                    if not var.lod_level:
                        var.lod_level = (
                            self.lod_level_of(operator, definition) if out_spec.lod_level < 0 else out_spec.lod_level
                        )
                if var.op is None:
                    var.op = operator
                if stop:
                    var.stop_gradient = True

    def lod_level_of(self, operator: Operator, definition: OpDef) -> int:
        """How many LoD levels outputs are declared to have; see Note [Who owns the LoD]."""
        if definition.lod is None:
            return 0
        for slot in definition.lod.split() or [slot.name for slot in definition.inputs]:
            for arg in operator.inputs.get(slot, []):
                var = self.find_var(arg)
                if var is not None and var.lod_level:
                    return var.lod_level
        return 0

    def _declare_gradients(self, operator: Operator) -> None:
        """A gradient has the shape and dtype of what it is the gradient of."""
        for slot, names in operator.outputs.items():
            owners = operator.inputs.get(slot.removesuffix(GRAD_SUFFIX), [])
            for i, name in enumerate(names):
                if name == EMPTY or self.find_var(name) is not None:
                    continue
                source = owners[i] if i < len(owners) else name.split(GRAD_SUFFIX)[0]
                like = self.find_var(source)
                self.create_var(name=name, shape=like.shape if like else None, dtype=like._dtype if like else None,
                                lod_level=like.lod_level if like else 0)  # fmt: skip

    def input_specs(self, operator: Operator, definition: OpDef) -> list[Any]:
        specs: list[Any] = []
        for slot in definition.inputs:
            found = [self._spec(name) for name in operator.inputs.get(slot.name, [])]
            specs.append(found if slot.duplicable and found else found[0] if found else None)
        return specs

    def _spec(self, name: str) -> Spec | None:
        var = self.find_var(name)
        return var.spec() if var is not None else None

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        return block_text(self, with_details)

    def __str__(self) -> str:
        return self.to_string()


def _names(op_type: str, kind: str, arguments: Slots, slots: tuple[Slot, ...]) -> dict[str, list[str]]:
    """{slot: names} in the order of the definition, from variables, names, or lists of them."""
    arguments = dict(arguments or {})
    result: dict[str, list[str]] = {}
    for slot in slots:
        values = arguments.pop(slot.name, None)
        values = [] if values is None else list(values) if isinstance(values, list | tuple) else [values]
        if len(values) > 1 and not slot.duplicable:
            raise ArgumentError(f"{op_type}: {kind} {slot.name} takes one variable, got {len(values)}")
        names = [
            v.decode() if isinstance(v, bytes) else v if isinstance(v, str) else getattr(v, "name", None)
            for v in values
        ]
        if any(not isinstance(name, str) for name in names):
            wrong = next(v for v, n in zip(values, names, strict=True) if not isinstance(n, str))
            raise ArgumentError(f"{op_type}: {kind} {slot.name} must be a variable or its name, got {wrong!r}")
        if names:
            result[slot.name] = names  # type: ignore[assignment]
    if arguments:  # Fluid ignores them
        known = ", ".join(slot.name for slot in slots)
        warn_once(f"{op_type}: there is no {kind} {', '.join(arguments)}; it has {known}")
    return result


def _known(definition: OpDef, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that the operator has; Fluid ignores the others."""
    unknown = [name for name in attrs if not definition.has_attr(name)]
    if unknown:
        known = ", ".join(definition.attrs) or "none"
        warn_once(f"{definition.type}: there is no attribute {', '.join(unknown)}; it has {known}")
    return {name: value for name, value in attrs.items() if value is not None and name not in unknown}
