"""Layer functions made from the descriptions of operators (paddle.fluid.layers.layer_function_generator)."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError, DtypeError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable
from refluid.layers.common import as_list
from refluid.layers.helper import LayerHelper
from refluid.ops import protos, registry

if TYPE_CHECKING:
    from refluid.core.types import Dtype

_HIDDEN_ATTRS = {"use_mkldnn", "is_test", "use_cudnn"}


def _convert_(name: str) -> str:
    """The name of a slot as that of an argument: HiddenPrev becomes hidden_prev."""
    parted = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", parted).lower()


def escape_math(text: str) -> str:
    """Formulas as Sphinx reads them: $x$ becomes :math:`x`; $$x$$, a formula on a line of its own, stays."""
    return re.sub(r"(\$\$[^$]+\$\$)|\$([^$]+)\$", lambda m: m.group(1) or f":math:`{m.group(2)}`", text)


def _generate_doc_string_(
    op_proto: Any, additional_args_lines: Iterable[str] | None = None, skip_attrs_set: Iterable[str] | None = None
) -> str:
    """A docstring from an OpProto: what the operator does, its inputs and its attributes."""
    hidden = _HIDDEN_ATTRS | set(skip_attrs_set or ())
    lines = [escape_math(op_proto.comment), "Args:"]
    for slot in op_proto.inputs:
        marks = [mark for mark, on in (("a list", slot.duplicable), ("optional", slot.dispensable)) if on]
        lines.append(f"    {_convert_(slot.name)}: {', '.join(['a variable', *marks])}.")
    for attr in op_proto.attrs:
        if attr.name not in hidden and not getattr(attr, "generated", False):
            lines.append(f"    {attr.name}: {_kind(attr)}.")
    lines += [f"    {line.strip()}" for line in additional_args_lines or ()]
    results = [slot.name for slot in op_proto.outputs if not slot.intermediate]
    return "\n".join([*lines, *(["", "Returns:", f"    {', '.join(results)}"] if results else [])])


def _kind(attr: Any) -> str:
    """An attribute's type as Python has it."""
    kind = attr.type if isinstance(attr.type, str) else registry_kind(attr.type)
    names = {"BOOLEAN": "bool", "STRING": "str", "LONG": "int"}
    single = kind.removesuffix("S")
    name = names.get(single, single.lower())
    return f"list of {name}" if kind.endswith("S") else name


def registry_kind(number: int) -> str:
    """The name of an attribute's type by its number in program files."""
    order = "INT FLOAT STRING INTS FLOATS STRINGS BOOLEAN BOOLEANS BLOCK LONG BLOCKS LONGS"
    return order.split()[number]


def generate_layer_fn(op_type: str) -> Callable:
    """The layer function of an operator with one result: inputs and attributes by name, inputs also by position.

    Args:
        op_type: the type of the operator.

    Returns:
        A function.

    Example:
        >>> hard_sigmoid = generate_layer_fn("hard_sigmoid")
        >>> hard_sigmoid(fluid.data("x", [None, 3]), slope=0.3).shape
        (-1, 3)
    """
    op, proto = registry.get(op_type), protos.describe(op_type)
    results = [slot for slot in proto.outputs if not slot.intermediate]
    if len(results) != 1 or any(slot.duplicable for slot in proto.outputs):
        raise ArgumentError(
            f"generate_layer_fn: {op_type} has results {[s.name for s in results]}, expected one variable"
        )

    def layer(*args: object, **kwargs: object) -> BaseVariable:
        helper = LayerHelper(op_type, **kwargs)
        settings = {key: value for key, value in kwargs.items() if key not in ("name", "act")}
        positional = list(args)
        inputs = {}
        for slot in proto.inputs:
            value = settings.pop(_convert_(slot.name), None)
            value = positional.pop(0) if value is None and positional else value
            inputs[slot.name] = [] if value is None else as_list(value)
        dtype = _common_dtype(op_type, [var for values in inputs.values() for var in values], settings)
        out = settings.pop(_convert_(results[0].name), None)
        out = helper.create_variable_for_type_inference(dtype) if out is None else as_list(out)[0]
        outputs = {results[0].name: out}
        for slot in proto.outputs:
            if slot.intermediate:
                outputs[slot.name] = helper.create_variable_for_type_inference(dtype)
        attrs = {key: value for key, value in settings.items() if op.has_attr(key)}
        helper.append_op(type=op_type, inputs=inputs, outputs=outputs, attrs=attrs)
        return helper.append_activation(out)

    layer.__name__, layer.__doc__ = op_type, _generate_doc_string_(proto)
    return layer


def _common_dtype(op_type: str, inputs: list[Any], settings: dict[str, Any]) -> Dtype:
    for var in inputs:
        if not is_variable(var):
            raise ArgumentError(f"{op_type}: inputs must be variables, got {type(var).__name__}")
        if var.dtype != inputs[0].dtype:
            raise DtypeError(f"{op_type}: inputs must be of one dtype, got {inputs[0].dtype} and {var.dtype}")
    return inputs[0].dtype if inputs else settings.get("dtype", "float32")


def generate_activation_fn(op_type: str) -> Callable:
    """The layer function of an operator with the slots X and Out.

    Args:
        op_type: the type of the operator.

    Returns:
        A function of (x, name).
    """
    op = registry.get(op_type)

    def activation(x: BaseVariable, name: str | None = None) -> BaseVariable:
        return op(x, name=LayerHelper(op_type, name=name)._layer)

    activation.__name__ = op_type
    activation.__doc__ = _generate_doc_string_(
        protos.describe(op_type), ["name: of the layer; None for one of its own."]
    )
    return activation


def autodoc(comment: str = "") -> Callable[[Callable], Callable]:
    """Decorator: document a function as the operator of its name.

    Args:
        comment: appended to the docstring.

    Returns:
        The decorator.
    """

    def document(func: Callable) -> Callable:
        func.__doc__ = _generate_doc_string_(protos.describe(func.__name__)) + comment
        return func

    return document


def templatedoc(op_type: str | None = None) -> Callable[[Callable], Callable]:
    """Decorator: fill ${comment} and ${x_type} in a docstring in from the description of an operator.

    Args:
        op_type: the type of the operator; None for the name of the function. Other names stay as they are.

    Returns:
        The decorator.
    """

    def document(func: Callable) -> Callable:
        proto = protos.describe(op_type or func.__name__)
        words = {"comment": escape_math(proto.comment).rstrip(".")}
        for slot in (*proto.inputs, *proto.outputs):
            words[f"{_convert_(slot.name)}_type"] = "Variable"
        for attr in proto.attrs:
            words[f"{_convert_(attr.name)}_type"] = _kind(attr)
        func.__doc__ = string.Template(func.__doc__ or "").safe_substitute(words)
        return func

    return document
