"""LayerHelper: what layer functions of one's own are written with, in either mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ModeError, NotFoundError
from refluid.core.naming import LayerName
from refluid.eager.base import tape, to_variable
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Parameter, Variable
from refluid.layers.common import activate
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.registry import OpDef
from refluid.params.attr import ParamAttr
from refluid.params.create import initial_value, initialise, make_parameter
from refluid.params.initializer import Initializer


class LayerHelper:
    """The arguments of one call of a layer function, and what to build the layer with.

    Args:
        layer_type: what the call is named after: `my_fc_0`.
        kwargs: the layer function's own arguments, as `**locals()`; of them `name`, `input`, `param_attr`, `bias_attr`
            and `act` mean something here.
    Example:
        def my_fc(input, size, param_attr=None, bias_attr=None, act=None, name=None):
            helper = LayerHelper("my_fc", **locals())
            w = helper.create_parameter(helper.param_attr, [input.shape[1], size], helper.input_dtype())
            out = helper.create_variable_for_type_inference(helper.input_dtype())
            helper.append_op(type="mul", inputs={"X": input, "Y": w}, outputs={"Out": out})
            return helper.append_activation(helper.append_bias_op(out))
    """

    def __init__(self, layer_type: str, **kwargs: Any):
        self.layer_type = layer_type
        self.kwargs = kwargs
        if kwargs.get("name") is None:
            kwargs["name"] = unique_name.generate(layer_type)
        self._layer = LayerName(layer_type, kwargs["name"])

    @property
    def name(self) -> str:
        return str(self._layer)

    @property
    def main_program(self) -> Program:
        return programs.default_main_program()

    @property
    def startup_program(self) -> Program:
        return programs.default_startup_program()

    # -- the arguments of the layer -------------------------------------------------------------------------------

    def multiple_input(self, input_param_name: str = "input") -> list[Any]:
        """The argument of this name as a list of variables; numpy arrays become variables of the imperative mode."""
        if self.kwargs.get(input_param_name) is None:
            raise ArgumentError(f"{self.layer_type}: {input_param_name} is missing")
        given = self.kwargs[input_param_name]
        return [self.to_variable(one) for one in (given if isinstance(given, list | tuple) else [given])]

    def input(self, input_param_name: str = "input") -> Any:
        """The argument of this name, where it is one variable."""
        inputs = self.multiple_input(input_param_name)
        if len(inputs) != 1:
            raise ArgumentError(f"{self.layer_type}: {input_param_name} takes one variable, got {len(inputs)}")
        return inputs[0]

    def input_dtype(self, input_param_name: str = "input") -> VarType:
        """The dtype that all inputs share."""
        inputs = self.multiple_input(input_param_name)
        for one in inputs:
            if one.dtype != inputs[0].dtype:
                told = ", ".join(f"{x.name} {dtypes.NAME[x.dtype]}" for x in inputs)
                raise DtypeError(f"{self.layer_type}: {input_param_name} must be of one dtype, got {told}")
        return inputs[0].dtype

    @property
    def param_attr(self) -> Any:
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_param_attr(self, length: int) -> list[Any]:
        """`length` param_attrs: those given, or copies of the one given."""
        given = self.kwargs.get("param_attr")
        attrs = list(given) if isinstance(given, list | tuple) else [given] * length
        attrs = attrs * length if len(attrs) == 1 else attrs
        if len(attrs) != length:
            raise ArgumentError(f"{self.layer_type}: {length} param_attr are needed, got {len(attrs)}")
        return [ParamAttr._to_attr(attr) for attr in attrs]

    def iter_inputs_and_params(self, input_param_name: str = "input") -> Iterator[tuple[Any, Any]]:
        """Each input with its param_attr."""
        inputs = self.multiple_input(input_param_name)
        return zip(inputs, self.multiple_param_attr(len(inputs)), strict=True)

    def is_instance(self, param_name: str, cls: Any) -> None:
        """Refuse an argument that is not of this class."""
        value = self.kwargs.get(param_name)
        if not isinstance(value, cls):
            wanted = getattr(cls, "__name__", cls)
            raise ArgumentError(f"{self.layer_type}: {param_name} must be of {wanted}, got {type(value).__name__}")

    def to_variable(self, value: Any, name: str | None = None) -> Any:
        return value if isinstance(value, Variable | VarBase) else to_variable(value, name)

    # -- variables ------------------------------------------------------------------------------------------------

    def create_parameter(
        self,
        attr: Any,
        shape: Any,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
        stop_gradient: bool = False,
        type: VarType = VarType.LOD_TENSOR,
    ) -> Any:
        """The parameter that `attr` describes, named after the layer; None if it is False."""
        if type != VarType.LOD_TENSOR:
            raise ArgumentError(f"{self.layer_type}: parameters are of type LOD_TENSOR, got {type!r}")
        dtype = "float32" if dtype is None else dtype
        return make_parameter(attr, shape, dtype, is_bias, default_initializer, self._layer, stop_gradient)

    def get_parameter(self, name: str) -> Parameter:
        """The parameter of this name in the main program."""
        found = self.main_program.global_block().vars.get(name)
        if not isinstance(found, Parameter):
            raise NotFoundError(f"{self.layer_type}: the program has no parameter {name!r}")
        return found

    def create_variable_for_type_inference(self, dtype: Any, stop_gradient: bool = False) -> Any:
        """A variable for an operator to write to, which also gives it its shape."""
        if mode.current.imperative:
            return _holder(dtype=dtype)
        block = self.main_program.current_block()
        kind = None if dtype is None else dtypes.var_type(dtype)
        return block.create_var(name=self._layer.tmp(), dtype=kind, persistable=False, stop_gradient=stop_gradient)

    create_tmp_variable = create_variable_for_type_inference  # as 1.0 called it

    def create_variable(self, *args: Any, **kwargs: Any) -> Any:
        """A variable of the current block; the arguments are those of Block.create_var."""
        if mode.current.imperative:
            return _holder(**kwargs)
        return self.main_program.current_block().create_var(*args, **kwargs)

    def create_global_variable(self, persistable: bool = False, *args: Any, **kwargs: Any) -> Any:
        """A variable of the global block, which no gradient goes through."""
        if mode.current.imperative:
            return _holder(persistable=persistable, **kwargs)
        kwargs.setdefault("stop_gradient", True)
        return self.main_program.global_block().create_var(*args, persistable=persistable, **kwargs)

    def create_or_get_global_variable(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, bool]:
        """(the variable of this name in the global block, whether it was made just now)."""
        if mode.current.imperative:
            raise ModeError(
                f"{self.layer_type}: create_or_get_global_variable looks a variable up in a program; "
                "in the imperative mode keep it in a Layer"
            )
        block = self.main_program.global_block()
        if name in block.vars:
            return block.vars[name], False
        return self.create_global_variable(*args, name=name, **kwargs), True

    def set_variable_initializer(self, var: Any, initializer: Initializer) -> None:
        """Let the startup program initialise `var`; in the imperative mode do so at once."""
        if isinstance(var, VarBase):
            var._t = initial_value(initializer, tuple(var.shape), var.dtype)
        else:
            initialise(var, initializer)

    # -- operators ------------------------------------------------------------------------------------------------

    def append_op(
        self, type: str = "", inputs: Any = None, outputs: Any = None, attrs: Any = None, stop_gradient: bool = False
    ) -> Operator | None:
        """Run an operator into the given outputs, or append it to the current block and return it."""
        if not mode.current.imperative:
            return self.main_program.current_block().append_op(type, inputs, outputs, attrs, stop_gradient)
        op = registry.get(type)
        outs = _by_slot(op, "output", op.outputs, outputs)
        op(*_by_slot(op, "input", op.inputs, inputs).values(), outs=outs, **(attrs or {}))
        if stop_gradient:
            for out in outs.values():
                for one in out if isinstance(out, list) else [out]:
                    one.stop_gradient = True
        return None

    def append_bias_op(self, input_var: Any, dim_start: int = 1, dim_end: int | None = None) -> Any:
        """input_var plus a bias over its axes from dim_start to dim_end; itself if bias_attr is False."""
        shape = list(input_var.shape[dim_start:dim_end])
        bias = self.create_parameter(self.bias_attr, shape, input_var.dtype, is_bias=True)
        if bias is None:
            return input_var
        return elementwise_add(input_var, bias, axis=dim_start, name=self._layer)

    def append_activation(self, input_var: Any) -> Any:
        """The activation that the argument `act` names, of input_var; itself if there is none."""
        return activate(input_var, self.kwargs.get("act"), self._layer)


def _holder(
    dtype: Any = None, name: str | None = None, shape: Any = (0,), persistable: bool = False, **program_only: Any
) -> VarBase:
    """A variable of the imperative mode for something to be written to; what only programs need to know is left out."""
    kind = dtypes.TORCH[dtypes.var_type("float32" if dtype is None else dtype)]
    made = VarBase(torch.zeros([max(size, 0) for size in shape], dtype=kind, device=tape.device))
    made.persistable = persistable
    if name is not None:
        made.name = name
    return made


def _by_slot(op: OpDef, kind: str, slots: Any, given: Any) -> dict[str, Any]:
    """{slot: variable, list of them where the slot takes many, or None}, from what append_op was given."""
    given = dict(given or {})
    found: dict[str, Any] = {}
    for slot in slots:
        values = given.pop(slot.name, None)
        values = [] if values is None else list(values) if isinstance(values, list | tuple) else [values]
        if len(values) > 1 and not slot.duplicable:
            raise ArgumentError(f"{op.type}: {kind} {slot.name} takes one variable, got {len(values)}")
        found[slot.name] = (values if slot.duplicable else values[0]) if values else None
    left = [name for name, values in given.items() if values not in (None, [], ())]
    if left:
        known = ", ".join(slot.name for slot in slots)
        raise ArgumentError(f"{op.type}: unknown {kind} slot {left[0]!r}; it has {known}")
    return found
