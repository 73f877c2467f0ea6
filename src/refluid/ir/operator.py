"""Operator: one line of a program."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from refluid.core import dtypes
from refluid.core.callsite import CallSite
from refluid.core.errors import ArgumentError, NotFoundError
from refluid.ir.members import OperatorMembers
from refluid.ir.proto_text import operator_text
from refluid.ops import registry
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX

if TYPE_CHECKING:
    from refluid.ir.block import Block

EMPTY = "@EMPTY@"


class Operator(OperatorMembers):
    """An operator of a block: its type, the names in its slots, and its attributes.

    Args:
        block: the block that it is part of.
        type: the name of the operator, "mul" for example.
        inputs: {input slot: names of variables}.
        outputs: {output slot: names of variables}.
        attrs: {attribute: value}.
        site: the line of the program that built it, for error messages.
    """

    def __init__(
        self,
        block: Block,
        type: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Any],
        site: CallSite | None,
    ):
        self.block = block
        self.type = type
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.site = site

    @property
    def definition(self) -> OpDef | None:
        return registry.find(self.type)

    @property
    def idx(self) -> int:
        """Its position in its block."""
        for position, operator in enumerate(self.block.ops):
            if operator is self:
                return position
        raise NotFoundError(f"{self.type}: the operator is not in its block any more")

    @property
    def sub_block(self) -> Block | None:
        """The block that the operator runs, if it carries one."""
        return self.attrs.get("sub_block")

    @property
    def blocks(self) -> list[Block]:
        """All blocks that the operator runs; only a parameter server has several."""
        several = self.attrs.get("optimize_blocks")
        return list(several) if several else [] if self.sub_block is None else [self.sub_block]

    def replaced(self) -> set[str]:
        """Variables whose old values are gone after it: what a block writes it may leave alone, and arrays grow."""
        if self.sub_block is not None:
            return set()
        return {name for name in self.output_arg_names if not self.block.is_array(name)}

    def carried(self) -> list[str]:
        """Variables that its block takes from one iteration to the next."""
        flow = self.definition.control_flow if "sub_block" in self.attrs and self.definition is not None else None
        return self.output(flow.carries) if flow is not None and flow.carries else []

    def reread(self) -> set[str]:
        """Outputs whose old values it changes in place, though no input slot names them."""
        definition = self.definition
        if definition is None:
            return set()
        return {
            name
            for out, source in definition.inplace.items()
            if not self.inputs.get(definition.inputs[source].name)
            for name in self.outputs.get(definition.outputs[out].name, [])
        }

    # -- slots --------------------------------------------------------------------------------------------------

    @property
    def input_names(self) -> list[str]:
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        return list(self.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        return [name for names in self.inputs.values() for name in names]

    @property
    def output_arg_names(self) -> list[str]:
        return [name for names in self.outputs.values() for name in names]

    def input(self, name: str) -> list[str]:
        """The names in an input slot; [] when the slot is empty."""
        return list(self.inputs.get(name, []))

    def output(self, name: str) -> list[str]:
        return list(self.outputs.get(name, []))

    def _rename_input(self, old_name: str, new_name: str) -> None:
        self._rename_role_var(old_name, new_name)
        self.inputs = {slot: [new_name if n == old_name else n for n in names] for slot, names in self.inputs.items()}
        self.block.program.touch()

    def _rename_output(self, old_name: str, new_name: str) -> None:
        self._rename_role_var(old_name, new_name)
        self.outputs = {slot: [new_name if n == old_name else n for n in names] for slot, names in self.outputs.items()}
        self.block.program.touch()

    def _rename_role_var(self, old_name: str, new_name: str) -> None:
        if old_name in self.attrs.get("op_role_var", ()):
            self.attrs["op_role_var"] = [new_name if n == old_name else n for n in self.attrs["op_role_var"]]

    # -- attributes ---------------------------------------------------------------------------------------------

    @property
    def attr_names(self) -> list[str]:
        return list(self.attrs)

    def has_attr(self, name: str) -> bool:
        return name in self.attrs

    def attr(self, name: str) -> Any:
        try:
            return self.attrs[name]
        except KeyError:
            raise NotFoundError(
                f"{self.type}: there is no attribute {name!r}; it has {', '.join(self.attrs)}"
            ) from None

    def all_attrs(self) -> dict[str, Any]:
        return dict(self.attrs)

    def fill_in_defaults(self) -> None:
        """Give it the attributes that it lacks and that have defaults; a gradient has those of its forward operator."""
        definition = self.definition
        for known in (definition, definition and definition.forward):
            for name, attr in known.attrs.items() if known is not None else ():
                if name not in self.attrs and not attr.required:
                    self.attrs[name] = attr.default

    def missing_input(self) -> str | None:
        """A slot that it cannot run without and that names nothing. A gradient of an output may be absent."""
        for slot in self.definition.inputs if self.definition is not None else ():
            if not self.inputs.get(slot.name) and not slot.dispensable and not slot.name.endswith(GRAD_SUFFIX):
                return slot.name
        return None

    def attr_type(self, name: str) -> str:
        definition = self.definition
        # A gradient operator has the attributes of its forward operator, of the same types.
        for known in (definition and definition.forward, definition):
            if known is not None and name in known.attrs:
                return known.attrs[name].type
        if definition is not None and definition.has_attr(name):
            return definition.attr_type(name)
        return type_of_value(self.attr(name))

    def _set_attr(self, name: str, value: object) -> None:
        """Set an attribute, of any name: notes that tools leave for one another are in no definition."""
        self.attrs[name] = value
        self.block.program.touch()

    set_attr = _set_attr

    # -- telling about it ---------------------------------------------------------------------------------------

    def details(self) -> list[tuple[str, str]]:
        """The table under an error: inputs with shapes, attributes, and the line that built it."""
        rows = []
        for slot, names in self.inputs.items():
            for name in names:
                var = self.block.find_var(name)
                rows.append((slot, var.describe() if var is not None else name))
        definition = self.definition
        shown = definition.attrs if definition is not None else self.attrs
        attrs = ", ".join(f"{name}={attr_text(name, self.attrs[name])}" for name in shown if name in self.attrs)
        if attrs:
            rows.append(("attrs", attrs))
        if self.site is not None:
            rows.append(("built", str(self.site)))
        return rows

    def to_string(self, throw_on_error: bool = True) -> str:
        return operator_text(self)

    def __str__(self) -> str:
        return operator_text(self)

    def __repr__(self) -> str:
        """On one line, for lists and messages."""
        from refluid.ir.printer import print_operator

        return print_operator(self)


_TYPES_OF_VALUES: tuple[tuple[Any, str], ...] = (
    (bool, "BOOLEAN"), (numbers.Integral, "INT"), (numbers.Real, "FLOAT"), (str, "STRING")
)  # fmt: skip


def type_of_value(value: object) -> str:
    """The type of an attribute that no definition knows, by its value."""
    if hasattr(value, "idx"):
        return "BLOCK"
    if isinstance(value, list | tuple):
        element_type = type_of_value(value[0]) if value else "INT"
        return "FLOATS" if element_type == "INT" and any(isinstance(v, float) for v in value) else f"{element_type}S"
    for kind, name in _TYPES_OF_VALUES:
        if isinstance(value, kind):
            return "LONG" if name == "INT" and not -(2**31) <= value < 2**31 else name
    raise ArgumentError(f"an attribute must be a number, a text or a list of them, got {type(value).__name__}")


def attr_text(name: str, value: Any) -> str:
    """An attribute as one reads it: dtypes by name, blocks by number, long lists truncated."""
    if name == "sub_block":
        return f"block {value.idx}"
    if name in ("dtype", "in_dtype", "out_dtype") and isinstance(value, int) and value in dtypes.NAME:
        return dtypes.NAME[dtypes.VarType(value)]
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
