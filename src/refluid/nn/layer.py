"""Layer: parameters, sublayers and a forward function in one object."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, EnforceNotMet, NotDefinedError
from refluid.core.generations import generations, older
from refluid.core.mode import per_mode
from refluid.core.naming import LayerName
from refluid.core.types import Dtype
from refluid.eager.parameter import ParamBase
from refluid.eager.variable import VarBase
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Parameter
from refluid.layers.helper import LayerHelper
from refluid.nn import state
from refluid.nn.helper import LayerObjectHelper
from refluid.nn.inputs import wrong_call
from refluid.nn.members import Members
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.initializer import Initializer

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure

P = TypeVar("P", bound=BaseVariable | None)

_FORGOT = (
    "{cls}.__init__ has set {name!r} before calling super().__init__(); "
    "call super({cls}, self).__init__() first, so that parameters and sublayers can be kept"
)

# What every layer has once Layer.__init__ has run.
_MADE_BY_INIT = ("_parameters", "_sub_layers", "_buffers", "_full_name", "_dtype", "_hook_count", "_forward_pre_hooks")

# Called with every layer that its first inputs have built, before it computes; DataParallel takes rank 0's values then.
on_built: Callable[[Any], None] | None = None

_NOT_INITIALISED = "{cls} was not initialised: its __init__ must call super({cls}, self).__init__() first"


def snake_case(name: str) -> str:
    """Conv2DTranspose -> conv2d_transpose."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


def _is_shape(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(size, int | np.integer) for size in value)


def _attribute_first(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Whether a positional shape is the second argument, or a named one comes behind a positional attribute."""
    if len(args) == 2:
        return "shape" in kwargs
    return len(args) > 2 and _is_shape(args[2]) and not _is_shape(args[1])


class Hook:
    """What registering a hook returns: `remove()` takes it out again."""

    def __init__(self, hooks: OrderedDict, key: int):
        self._hooks, self._key = hooks, key

    def remove(self) -> None:
        self._hooks.pop(self._key, None)


class Layer:
    """Base of layers in both modes. Subclasses make parameters and sublayers in `__init__` and define `forward`.

    Args:
        name_scope: prefix of the parameter names; the name of the class in snake case if None.
        dtype: the dtype of the parameters.

    Example:
        >>> class Net(fluid.dygraph.Layer):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.hidden = fluid.dygraph.Linear(4, 8, act="relu")
        ...         self.out = fluid.dygraph.Linear(8, 1)
        ...
        ...     def forward(self, x):
        ...         return self.out(self.hidden(x))
        >>> with fluid.dygraph.guard():
        ...     net = Net()
        ...     y = net(fluid.dygraph.to_variable(np.ones((2, 4), "float32")))
        >>> y.shape, list(net.state_dict())
        ([2, 1], ['hidden.weight', 'hidden.bias', 'out.weight', 'out.bias'])
    """

    def __init__(self, name_scope: str | None = None, dtype: Dtype = "float32"):
        self.__dict__["_parameters"] = Members()
        self.__dict__["_sub_layers"] = Members()
        self.__dict__["_buffers"] = OrderedDict()
        self._full_name = unique_name.generate(name_scope or snake_case(type(self).__name__))
        self._dtype = dtype
        self._built = False
        self.training = True
        self._forward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
        self._forward_post_hooks: OrderedDict[int, Callable] = OrderedDict()
        self._hook_count = 0

    def full_name(self) -> str:
        """The name that parameters of this layer begin with.

        Returns:
            A str, `linear_0` for example.
        """
        return self._full_name

    @property
    def layer_name(self) -> LayerName:
        """What parameters and temporaries of this layer are named after."""
        return LayerName(self._full_name, self._full_name)

    @property
    def _helper(self) -> LayerObjectHelper:
        """Fluid's own layers append their operators with it, and so do layers that were written after them."""
        return LayerObjectHelper(self._full_name)

    # -- calling ------------------------------------------------------------------------------------------------

    def __call__(self, *inputs: Any, **kwargs: Any) -> Structure:
        if "_built" not in self.__dict__:
            raise EnforceNotMet(_NOT_INITIALISED.format(cls=type(self).__name__))
        for hook in self._forward_pre_hooks.values():
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        try:
            if not self._built:
                if not ("_waiting" in self.__dict__ and self._parameters):  # then it was built, but not restored
                    self._build(*inputs, **kwargs)
                state.restore_late(self)
                self._built = True
                if on_built is not None:
                    on_built(self)
            outputs = self.forward(*inputs, **kwargs)
        except (TypeError, AttributeError, EnforceNotMet) as error:
            # Better words, if that is what was wrong.
            told = None if isinstance(error, EnforceNotMet) else wrong_call(self, inputs, kwargs)
            if told is not None:
                raise told from None
            raise
        for hook in self._forward_post_hooks.values():
            changed = hook(self, inputs, outputs)
            if changed is not None:
                outputs = changed
        return outputs

    def forward(self, *inputs: Any, **kwargs: Any) -> Structure:
        """What a call of the layer computes; subclasses define it.

        Args:
            inputs: the inputs of the call.
            kwargs: those given by name.
        """
        raise NotDefinedError(f"{type(self).__name__} must define forward(self, ...): it is what a call runs")

    def backward(self, *inputs: Any) -> Structure:
        raise ArgumentError("Layer.backward: layers have no backward; call backward() of the loss")

    def _build(self, *inputs: Any, **kwargs: Any) -> None:
        """Make what the first inputs decide. What the user has assigned to a layer of ours before that stays."""
        build = type(self)._build_once
        ours = build is not Layer._build_once and build.__module__.startswith("refluid.")
        members = {**self.__dict__, **self._parameters} if ours else {}
        self._build_once(*inputs, **kwargs)
        for name, value in members.items():
            if isinstance(value, BaseVariable):
                if _kind_of(value) is None:
                    self._parameters.pop(name, None)
                setattr(self, name, value)

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        """Called with the first inputs, for parameters whose sizes depend on them."""
        self.build_once(*inputs)

    def build_once(self, *inputs: Any) -> None:
        """The name of `_build_once` in 1.4."""

    def _awaits_inputs(self) -> bool:
        """Whether its parameters will be made from the first inputs."""
        cls = type(self)
        builds = cls._build_once is not Layer._build_once or cls.build_once is not Layer.build_once
        return builds and not self._built and not self._parameters

    def register_forward_pre_hook(self, hook: Callable) -> Hook:
        """Call a function before every forward.

        Args:
            hook: `hook(layer, inputs)`; it may return other inputs.

        Returns:
            An object whose `remove()` ends that.
        """
        return self._register(self._forward_pre_hooks, hook)

    def register_forward_post_hook(self, hook: Callable) -> Hook:
        """Call a function after every forward.

        Args:
            hook: `hook(layer, inputs, outputs)`; it may return other outputs.

        Returns:
            An object whose `remove()` ends that.
        """
        return self._register(self._forward_post_hooks, hook)

    def _register(self, hooks: OrderedDict, hook: Callable) -> Hook:
        if not callable(hook):
            raise ArgumentError(f"a hook must be a function, got {type(hook).__name__}")
        self._hook_count += 1
        hooks[self._hook_count] = hook
        return Hook(hooks, self._hook_count)

    # -- modes --------------------------------------------------------------------------------------------------

    def train(self) -> None:
        """Training behaviour for this layer and all below; gradients are remembered again."""
        self._set_training(True)

    def eval(self) -> None:
        """Evaluation behaviour for this layer and all below; nothing is remembered for gradients."""
        self._set_training(False)

    def _set_training(self, training: bool) -> None:
        mode.current().remember(training)  # Fluid: the switch is not that of this layer alone
        self.training = training
        for layer in self.sublayers():
            layer.training = training

    # -- making parts -------------------------------------------------------------------------------------------

    @generations
    def create_parameter(
        self,
        shape: Sequence[int],
        attr: AttrLike = None,
        dtype: Dtype | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """A parameter named after this layer. Assign it to an attribute to keep it.

        Args:
            shape: its shape.
            attr: its settings; False for no parameter.
            dtype: its dtype; that of the layer if None.
            is_bias: whether it is a bias, which starts at zero by default.
            default_initializer: the initializer if `attr` has none.

        Returns:
            A parameter; None if attr is False.
        """
        return make_parameter(attr, shape, dtype or self._dtype, is_bias, default_initializer, self.layer_name)

    @older(create_parameter, before="1.6", when=_attribute_first)
    def _create_parameter_1_5(
        self,
        attr: AttrLike,
        shape: Sequence[int],
        dtype: Dtype | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> BaseVariable:
        return self.create_parameter(shape, attr, dtype, is_bias, default_initializer)

    def create_variable(
        self,
        name: str | None = None,
        persistable: bool | None = None,
        dtype: Dtype | None = None,
        type: VarType = VarType.LOD_TENSOR,
    ) -> BaseVariable:
        """A variable of this layer without a value, for an operator to write to.

        Args:
            name: its name, behind that of the layer.
            persistable: whether it is kept from run to run.
            dtype: its dtype; that of the layer if None.
            type: VarType.LOD_TENSOR.

        Returns:
            A variable.
        """
        if name is None:
            name = unique_name.generate(f"{self._full_name}._generated_var")
        else:
            name = f"{self._full_name}.{name}"
        if type != VarType.LOD_TENSOR:
            raise ArgumentError(f"create_variable: only VarType.LOD_TENSOR can be made here, got {type}")
        kind = dtypes.var_type(self._dtype if dtype is None else dtype)
        helper = LayerHelper(self._full_name, name=name)
        return helper.create_variable(name=name, persistable=bool(persistable), dtype=kind)

    def add_sublayer(self, name: str, sublayer: Layer) -> Layer:
        """Keep a layer under a name.

        Args:
            name: the name.
            sublayer: the layer.

        Returns:
            The layer.
        """
        check_layer(f"add_sublayer: {name!r}", sublayer)
        self._sub_layers[name] = sublayer
        return sublayer

    def add_parameter(self, name: str, parameter: P) -> P:
        """Keep a parameter under a name.

        Args:
            name: the name.
            parameter: the parameter, or None.

        Returns:
            The parameter.
        """
        if parameter is not None and not isinstance(parameter, ParamBase | Parameter):
            raise ArgumentError(f"add_parameter: {name!r} must be a parameter, got {type(parameter).__name__}")
        self._parameters[name] = parameter
        return parameter

    def register_buffer(self, name: str, tensor: VarBase | None, persistable: bool = True) -> None:
        """Keep a variable that is part of the state but not trained.

        Args:
            name: its name.
            tensor: a variable of the imperative mode, or None.
            persistable: whether state dictionaries hold it.
        """
        if tensor is not None and not isinstance(tensor, VarBase):
            kind = type(tensor).__name__
            raise ArgumentError(f"register_buffer: {name!r} must be a variable of the imperative mode, got {kind}")
        if tensor is not None:
            tensor.persistable = persistable
        self._buffers[name] = tensor

    # -- walking ------------------------------------------------------------------------------------------------

    def sublayers(self, include_sublayers: bool = True) -> list[Layer]:
        """All layers below this one.

        Args:
            include_sublayers: False gives none, as in Fluid.

        Returns:
            A list of layers, each once.
        """
        return [layer for _, layer in self.named_sublayers(include_sublayers=include_sublayers)]

    def named_sublayers(
        self,
        prefix: str = "",
        include_sublayers: bool = True,
        include_self: bool = False,
        layers_set: set | None = None,
    ) -> Iterator[tuple[str, Layer]]:
        """All layers below this one, with their dotted names.

        Args:
            prefix: put before the names.
            include_sublayers: False gives none, as in Fluid.
            include_self: begin with this layer.
            layers_set: layers that are left out; those that were given are added.

        Returns:
            An iterator of (name, layer), each layer once.
        """
        seen = set() if layers_set is None else layers_set
        if self in seen:
            return
        seen.add(self)
        if include_self:
            yield prefix, self
        for name, layer in self._sub_layers.items() if include_sublayers else ():
            if layer is not None and layer not in seen:
                yield from layer.named_sublayers(f"{prefix}.{name}" if prefix else name, True, True, seen)

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """(name, layer) of the layers that are attributes of this one, each once."""
        seen: set[Layer] = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and layer not in seen:
                seen.add(layer)
                yield name, layer

    def children(self) -> Iterator[Layer]:
        """The layers that are attributes of this one, each once.

        Returns:
            An iterator of layers.
        """
        for _, layer in self.named_children():
            yield layer

    def parameters(self, include_sublayers: bool = True) -> list[BaseVariable]:
        """The parameters of this layer and of those below, each once.

        Args:
            include_sublayers: False for those of this layer alone.

        Returns:
            A list of parameters.
        """
        return [param for _, param in self.named_parameters(include_sublayers=include_sublayers)]

    def named_parameters(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, BaseVariable]]:
        """The parameters with their dotted names, each once.

        Args:
            prefix: put before the names.
            include_sublayers: False for those of this layer alone.

        Returns:
            An iterator of (name, parameter).
        """
        yield from self._members("_parameters", prefix, include_sublayers)

    def buffers(self, include_sublayers: bool = True) -> list[VarBase]:
        """The buffers of this layer and of those below, each once.

        Args:
            include_sublayers: False for those of this layer alone.

        Returns:
            A list of variables.
        """
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, VarBase]]:
        """The buffers with their dotted names, each once.

        Args:
            prefix: put before the names.
            include_sublayers: False for those of this layer alone.

        Returns:
            An iterator of (name, variable).
        """
        yield from self._members("_buffers", prefix, include_sublayers)

    def _members(self, kind: str, prefix: str, include_sublayers: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        layers = self.named_sublayers(prefix, include_self=True) if include_sublayers else [(prefix, self)]
        for path, layer in layers:
            for name, member in getattr(layer, kind).items():
                if member is not None and id(member) not in seen:
                    seen.add(id(member))
                    yield f"{path}.{name}" if path else name, member

    def clear_gradients(self) -> None:
        """Clear the gradients of all parameters."""
        for param in self.parameters():
            if isinstance(param, VarBase):
                param.clear_gradient()

    # -- state --------------------------------------------------------------------------------------------------

    def state_dict(
        self,
        destination: dict[str, Any] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
    ) -> dict[str, Any]:
        """The parameters and persistable buffers by their dotted names.

        Args:
            destination: a dictionary to add them to; a new one if None.
            include_sublayers: False for those of this layer alone.
            structured_name_prefix: put before the names.

        Returns:
            An ordered dictionary.
        """
        return state.collect(self, destination, include_sublayers, structured_name_prefix)

    def set_dict(
        self, stat_dict: dict[str, Any], include_sublayers: bool = True, use_structured_name: bool = True
    ) -> None:
        """Set the values of parameters and buffers; all or nothing.

        Args:
            stat_dict: what `state_dict` or `load_dygraph` returned: values by dotted name.
            include_sublayers: False for those of this layer alone.
            use_structured_name: False if the keys are parameter names.
        """
        state.restore(self, stat_dict, include_sublayers, use_structured_name)

    load_dict = set_dict
    set_state_dict = set_dict

    # -- attributes ---------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_parameters" in own:  # written out, since models do this all the time
            if name in own["_parameters"]:
                return own["_parameters"][name]
            if name in own["_sub_layers"]:
                return own["_sub_layers"][name]
            if name in own["_buffers"]:
                return own["_buffers"][name]
        if name in _MADE_BY_INIT:
            raise EnforceNotMet(_NOT_INITIALISED.format(cls=type(self).__name__))
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        kind = _kind_of(value)
        if kind is not None:
            if "_parameters" not in self.__dict__:
                raise EnforceNotMet(_FORGOT.format(cls=type(self).__name__, name=name))
            if kind != "_parameters" and self._parameters.get(name) is not None:
                raise self._no_parameter(name, value)
            for other in ("_parameters", "_sub_layers", "_buffers"):
                if other != kind:  # what is replaced keeps its place in the order
                    self.__dict__[other].pop(name, None)
            self.__dict__.pop(name, None)
            self.__dict__[kind][name] = value
            return
        params = self.__dict__.get("_parameters", ())
        if name in params:
            if value is not None:
                raise self._no_parameter(name, value)
            params[name] = None
        elif name in self.__dict__.get("_sub_layers", ()):
            if value is not None:
                raise ArgumentError(
                    f"{type(self).__name__}.{name} is a sublayer; assign a Layer or None, got {type(value).__name__}"
                )
            self._sub_layers[name] = None
        elif name in self.__dict__.get("_buffers", ()) and isinstance(value, VarBase):
            self._buffers[name] = value
        else:
            if isinstance(value, BaseVariable):
                for part, param in getattr(value, "parts", {}).items():  # of a normalised weight: they are trained
                    setattr(self, f"{name}_{part}", param)
            object.__setattr__(self, name, value)

    def _no_parameter(self, name: str, value: object) -> ArgumentError:
        cls = type(self).__name__
        return ArgumentError(f"{cls}.{name} is a parameter; assign one or None, got {type(value).__name__}")

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_sub_layers", "_buffers"):
            if name in self.__dict__.get(kind, ()):
                del self.__dict__[kind][name]
                return
        object.__delattr__(self, name)

    def __repr__(self) -> str:
        """The class and, indented, the layers and parameters below."""
        if "_parameters" not in self.__dict__:
            return f"<{type(self).__name__}, not initialised>"
        lines = [f"{type(self).__name__} {self._full_name}"]
        for name, param in self._parameters.items():
            if param is not None:
                lines.append(f"  {name}: {param.name} {list(param.shape)}")
        for name, layer in self._sub_layers.items():
            first, *rest = repr(layer).split("\n")
            lines += [f"  {name}: {first}", *(f"  {line}" for line in rest)]
        return "\n".join(lines)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parameters, *self._sub_layers, *self._buffers]


def check_layer(what: str, value: object) -> None:
    if not isinstance(value, Layer):
        raise ArgumentError(f"{what} must be a Layer, got {type(value).__name__}")


def _kind_of(value: object) -> str | None:
    if isinstance(value, ParamBase | Parameter):
        return "_parameters"
    return "_sub_layers" if isinstance(value, Layer) else None


@per_mode
def in_programs(flag: bool) -> bool:
    """A flag that holds in programs alone; in the imperative mode `train()` and `eval()` decide."""
    return flag


@in_programs.imperative
def _never(flag: bool) -> bool:
    return False
