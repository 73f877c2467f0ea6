"""Reads an operator's slots and attributes off its kernel's Python signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

GRAD_SUFFIX = "@GRAD"
_OUT = "@OUT"

# Keyword-only parameters that the engine provides; they are no attributes. `last` (in plans alone): nothing reads the
# inputs again.
ENGINE_PARAMS = ("rng", "device", "needs", "last")

# The type of an attribute, as Fluid's files name it, by the annotation.
_ATTR_TYPES = (
    ("list[Long]", "LONGS"),
    ("list[int]", "INTS"),
    ("list[float]", "FLOATS"),
    ("list[str]", "STRINGS"),
    ("list[bool]", "BOOLEANS"),
    ("list[Block]", "BLOCKS"),
    ("Block", "BLOCK"),
    ("Long", "LONG"),
    ("bool", "BOOLEAN"),
    ("float", "FLOAT"),
    ("str", "STRING"),
    ("int", "INT"),
    ("DType", "INT"),
)
Long = int  # an attribute kept as 64 bits in program files
DType = int  # an attribute that is a VarType
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Slot:
    """An input or output of an operator. `param` is its Python name, `name` the one in programs."""

    name: str
    param: str
    duplicable: bool = False
    dispensable: bool = False
    intermediate: bool = False


@dataclass(frozen=True)
class Param:
    """One positional parameter of a kernel: a slot's value, a slot's shape only, or a slot's LoD."""

    kind: str  # "value", "shape" or "lod"
    slot: int


@dataclass(frozen=True)
class Attr:
    name: str
    param: str
    type: str
    default: Any

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


@dataclass(frozen=True)
class Signature:
    inputs: tuple[Slot, ...]
    params: tuple[Param, ...]
    attrs: dict[str, Attr]
    engine: tuple[str, ...]  # which ENGINE_PARAMS the kernel asks for


def program_name(param: str, rename: dict[str, str]) -> str:
    """The slot's name in programs: `Out_grad` is `Out@GRAD`."""
    if param in rename:
        return rename[param]
    return param[: -len("_grad")] + GRAD_SUFFIX if param.endswith("_grad") else param


def read_signature(kernel: Callable, rename: dict[str, str]) -> Signature:
    """Positional parameters are input slots, keyword-only ones attributes.

    `X: Shape` asks for the shape of slot X alone, so that X need not be kept alive. `X_lod: LoD | None` asks for the
    LoD of slot X and is no slot itself.
    """
    slots: list[Slot] = []
    params: list[Param] = []
    attrs: dict[str, Attr] = {}
    engine: list[str] = []
    for parameter in inspect.signature(kernel).parameters.values():
        hint = str(parameter.annotation)
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.name in ENGINE_PARAMS:
                engine.append(parameter.name)
                continue
            name = rename.get(parameter.name, parameter.name)
            attrs[name] = Attr(name, parameter.name, _attr_type(kernel, parameter.name, hint), parameter.default)
        elif "LoD" in hint:
            owner = parameter.name.removesuffix("_lod")
            params.append(Param("lod", next(i for i, slot in enumerate(slots) if slot.param == owner)))
        else:
            name = program_name(parameter.name, rename)
            params.append(Param("shape" if "Shape" in hint else "value", len(slots)))
            slots.append(Slot(name, parameter.name, duplicable="list" in hint, dispensable="None" in hint))
    return Signature(tuple(slots), tuple(params), attrs, tuple(engine))


def _attr_type(kernel: Callable, name: str, hint: str) -> str:
    for text, attr_type in _ATTR_TYPES:
        if text in hint:
            return attr_type
    raise TypeError(f"{kernel.__name__}: attribute {name} needs a type, got {hint}")


def grad_slot(output: str, taken: Collection[str]) -> str:
    """The slot that takes the gradient of an output: Out@GRAD.

    A gradient of a gradient has the inputs X@GRAD@GRAD and the outputs X@GRAD; the slot for the gradient of that
    output is X@GRAD@OUT@GRAD. `taken` are the names of all inputs and outputs.
    """
    while output + GRAD_SUFFIX in taken:
        output += _OUT
    return output + GRAD_SUFFIX


def output_of(slot: str) -> str:
    """The output whose gradient a slot takes."""
    output = slot.removesuffix(GRAD_SUFFIX)
    while output.endswith(_OUT):
        output = output.removesuffix(_OUT)
    return output


def owner_of(gradient: str) -> str:
    """The variable that a gradient is of: `x` of x@GRAD, x@GRAD@RENAME@block0@1 and grad/x@GRAD."""
    return gradient.split(GRAD_SUFFIX)[0].rsplit("grad/", 1)[-1]
