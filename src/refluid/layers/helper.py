"""LayerHelper: the building blocks of layer functions that programs write themselves, in either mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ModeError, NotFoundError
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.eager.base import to_variable
from refluid.eager.holder import holder
from refluid.eager.variable import VarBase
from refluid.ir import program as programs
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Slots
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ir.variable import Parameter, Variable
from refluid.layers.common import activate
from refluid.ops import registry
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.registry import OpDef
from refluid.params.attr import AttrLike, ParamAttr
from refluid.params.create import initial_value, initialise, make_parameter
from refluid.params.initializer import Initializer

if TYPE_CHECKING:
    from refluid.ops.signature import Slot


class LayerHelper:
    """The arguments of one call of a layer function, and the means to build the layer.

    Args:
        layer_type: what the call is named after: `my_fc_0`.
        kwargs: the layer function's own arguments, as `**locals()`; `name`, `input`, `param_attr`, `bias_attr` and
            `act` are used here.

    Example:
        >>> def my_fc(input, size, param_attr=None, bias_attr=None, act=None, name=None):
        ...     helper = fluid.layer_helper.LayerHelper("my_fc", **locals())
        ...     w = helper.create_parameter(helper.param_attr, [input.shape[1], size], helper.input_dtype())
        ...     out = helper.create_variable_for_type_inference(helper.input_dtype())
        ...     helper.append_op(type="mul", inputs={"X": input, "Y": w}, outputs={"Out": out})
        ...     return helper.append_activation(helper.append_bias_op(out))
        >>> my_fc(fluid.data("x", [None, 13]), size=4, act="relu").shape
        (-1, 4)
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

    def multiple_input(self, input_param_name: str = "input") -> list[BaseVariable]:
        """The argument of this name as a list of variables; numpy arrays become variables of the imperative mode.

        Args:
            input_param_name: the name of the argument.

        Returns:
            A list of variables.
        """
        if self.kwargs.get(input_param_name) is None:
            raise ArgumentError(f"{self.layer_type}: {input_param_name} is missing")
        value = self.kwargs[input_param_name]
        return [self.to_variable(item) for item in (value if isinstance(value, list | tuple) else [value])]

    def input(self, input_param_name: str = "input") -> BaseVariable:
        """The argument of this name, which must be a single variable.

        Args:
            input_param_name: the name of the argument.

        Returns:
            A variable.
        """
        inputs = self.multiple_input(input_param_name)
        if len(inputs) != 1:
            raise ArgumentError(f"{self.layer_type}: {input_param_name} takes one variable, got {len(inputs)}")
        return inputs[0]

    def input_dtype(self, input_param_name: str = "input") -> VarType:
        """The common dtype of the inputs.

        Args:
            input_param_name: the name of the argument.

        Returns:
            A VarType.
        """
        inputs = self.multiple_input(input_param_name)
        for var in inputs:
            if var.dtype != inputs[0].dtype:
                kinds = ", ".join(f"{x.name} {dtypes.NAME[x.dtype]}" for x in inputs)
                raise DtypeError(f"{self.layer_type}: {input_param_name} must be of one dtype, got {kinds}")
        return inputs[0].dtype

    @property
    def param_attr(self) -> ParamAttr | list[ParamAttr] | bool:
        return ParamAttr._to_attr(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self) -> Any:
        return ParamAttr._to_attr(self.kwargs.get("bias_attr"))

    def multiple_param_attr(self, length: int) -> list[ParamAttr | bool]:
        """The argument `param_attr` as a list of settings.

        Args:
            length: how many; a single one is repeated.

        Returns:
            A list of ParamAttr, or False for no parameter.
        """
        value = self.kwargs.get("param_attr")
        attrs = list(value) if isinstance(value, list | tuple) else [value] * length
        attrs = attrs * length if len(attrs) == 1 else attrs
        if len(attrs) != length:
            raise ArgumentError(f"{self.layer_type}: {length} param_attr are needed, got {len(attrs)}")
        return [ParamAttr._to_attr(attr) for attr in attrs]

    def iter_inputs_and_params(self, input_param_name: str = "input") -> Iterator[tuple[Any, Any]]:
        """Each input with its settings.

        Args:
            input_param_name: the name of the argument.

        Returns:
            An iterator of (variable, ParamAttr).
        """
        inputs = self.multiple_input(input_param_name)
        return zip(inputs, self.multiple_param_attr(len(inputs)), strict=True)

    def is_instance(self, param_name: str, cls: type | tuple[type, ...]) -> None:
        """Refuse an argument that is not of this class."""
        value = self.kwargs.get(param_name)
        if not isinstance(value, cls):
            wanted = getattr(cls, "__name__", cls)
            raise ArgumentError(f"{self.layer_type}: {param_name} must be of {wanted}, got {type(value).__name__}")

    def to_variable(self, value: object, name: str | None = None) -> BaseVariable:
        return value if isinstance(value, Variable | VarBase) else to_variable(value, name)

    # -- variables ------------------------------------------------------------------------------------------------

    def create_parameter(
        self,
        attr: AttrLike,
        shape: Sequence[int],
        dtype: Dtype | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
        stop_gradient: bool = False,
        type: VarType = VarType.LOD_TENSOR,
    ) -> Any:
        """A parameter named after the layer.

        Args:
            attr: its settings; False for no parameter.
            shape: its shape.
            dtype: its dtype; None for float32.
            is_bias: 0 at first instead of random, unless an initializer is given.
            default_initializer: the initializer if attr has none.
            stop_gradient: whether gradients stop at it.
            type: LOD_TENSOR, the only one.

        Returns:
            A parameter, or None.
        """
        if type != VarType.LOD_TENSOR:
            raise ArgumentError(f"{self.layer_type}: parameters are of type LOD_TENSOR, got {type!r}")
        dtype = "float32" if dtype is None else dtype
        return make_parameter(attr, shape, dtype, is_bias, default_initializer, self._layer, stop_gradient)

    def get_parameter(self, name: str) -> Parameter:
        """The parameter of this name in the main program."""
        var = self.main_program.global_block().vars.get(name)
        if not isinstance(var, Parameter):
            raise NotFoundError(f"{self.layer_type}: the program has no parameter {name!r}")
        return var

    @per_mode
    def create_variable_for_type_inference(self, dtype: Dtype | None, stop_gradient: bool = False) -> BaseVariable:
        """A variable for an operator to write to, which also gives it its shape."""
        block = self.main_program.current_block()
        kind = None if dtype is None else dtypes.var_type(dtype)
        return block.create_var(name=self._layer.tmp(), dtype=kind, persistable=False, stop_gradient=stop_gradient)

    @create_variable_for_type_inference.imperative
    def _hold_result(self, dtype: Dtype | None, stop_gradient: bool = False) -> VarBase:
        return holder(dtype)

    create_tmp_variable = create_variable_for_type_inference  # as 1.0 called it

    @per_mode
    def create_variable(self, *args: Any, **kwargs: Any) -> BaseVariable:
        """A variable of the current block; the arguments are those of Block.create_var."""
        return self.main_program.current_block().create_var(*args, **kwargs)

    @create_variable.imperative
    def _hold(self, *args: Any, **kwargs: Any) -> VarBase:
        return holder(**kwargs)

    @per_mode
    def create_global_variable(self, persistable: bool = False, *args: Any, **kwargs: Any) -> Any:
        """A variable of the global block; no gradient flows through it."""
        kwargs.setdefault("stop_gradient", True)
        return self.main_program.global_block().create_var(*args, persistable=persistable, **kwargs)

    @create_global_variable.imperative
    def _hold_on(self, persistable: bool = False, *args: Any, **kwargs: Any) -> VarBase:
        return holder(persistable=persistable, **kwargs)

    def create_or_get_global_variable(self, name: str, *args: object, **kwargs: object) -> tuple[Any, bool]:
        """(the variable of this name in the global block, whether this call created it)."""
        mode.current().demand_program(
            ModeError(
                f"{self.layer_type}: create_or_get_global_variable looks a variable up in a program; "
                "in the imperative mode keep it in a Layer"
            )
        )
        block = self.main_program.global_block()
        if name in block.vars:
            return block.vars[name], False
        return self.create_global_variable(*args, name=name, **kwargs), True

    def set_variable_initializer(self, var: BaseVariable, initializer: Initializer) -> None:
        """Let the startup program initialize `var`; in the imperative mode initialize it at once."""
        _initialise.of(var)(var, initializer)

    # -- operators ------------------------------------------------------------------------------------------------

    @per_mode
    def append_op(
        self,
        type: str = "",
        inputs: Slots = None,
        outputs: Slots = None,
        attrs: dict[str, Any] | None = None,
        stop_gradient: bool = False,
    ) -> Operator | None:
        """Run an operator into the given outputs, or append it to the current block and return it."""
        return self.main_program.current_block().append_op(type, inputs, outputs, attrs, stop_gradient)

    @append_op.imperative
    def _run_op(
        self,
        type: str = "",
        inputs: Slots = None,
        outputs: Slots = None,
        attrs: dict[str, Any] | None = None,
        stop_gradient: bool = False,
    ) -> Operator | None:
        op = registry.get(type)
        outs = _by_slot(op, "output", op.outputs, outputs)
        op(*_by_slot(op, "input", op.inputs, inputs).values(), outs=outs, **(attrs or {}))
        if stop_gradient:
            for out in outs.values():
                for var in out if isinstance(out, list) else [out]:
                    var.stop_gradient = True
        return None

    def append_bias_op(self, input_var: BaseVariable, dim_start: int = 1, dim_end: int | None = None) -> BaseVariable:
        """input_var plus a bias over its axes from dim_start to dim_end; itself if bias_attr is False."""
        shape = list(input_var.shape[dim_start:dim_end])
        bias = self.create_parameter(self.bias_attr, shape, input_var.dtype, is_bias=True)
        if bias is None:
            return input_var
        return elementwise_add(input_var, bias, axis=dim_start, name=self._layer)

    def append_activation(self, input_var: BaseVariable) -> BaseVariable:
        """The activation that the argument `act` names, of input_var; itself if there is none."""
        return activate(input_var, self.kwargs.get("act"), self._layer)


def _by_slot(op: OpDef, kind: str, slots: Sequence[Slot], variables: Slots) -> dict[str, Any]:
    """{slot: variable, list of them where the slot takes many, or None}, from the inputs or outputs of append_op."""
    variables = dict(variables or {})
    by_slot: dict[str, Any] = {}
    for slot in slots:
        values = variables.pop(slot.name, None)
        values = [] if values is None else list(values) if isinstance(values, list | tuple) else [values]
        if len(values) > 1 and not slot.duplicable:
            raise ArgumentError(f"{op.type}: {kind} {slot.name} takes one variable, got {len(values)}")
        by_slot[slot.name] = (values if slot.duplicable else values[0]) if values else None
    unknown = [name for name, values in variables.items() if values not in (None, [], ())]
    if unknown:
        known = ", ".join(slot.name for slot in slots)
        raise ArgumentError(f"{op.type}: unknown {kind} slot {unknown[0]!r}; it has {known}")
    return by_slot


@per_mode
def _initialise(var: Variable, initializer: Initializer) -> None:
    initialise(var, initializer)


@_initialise.imperative
def _initialise_now(var: VarBase, initializer: Initializer) -> None:
    var._t = initial_value(initializer, tuple(var.shape), var.dtype)
