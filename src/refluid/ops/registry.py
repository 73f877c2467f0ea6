"""The operator registry: `@op` turns a torch function into an operator of both modes.

An `Operator` definition here is an `OpDef`. Calling it runs it in the current mode (core/mode.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from refluid.core import mode
from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.ops.signature import GRAD_SUFFIX, DType, Long, Slot, read_signature
from refluid.tensor.lod import LoD

__all__ = ["ANY", "FLOATS", "INTS", "DType", "LoD", "Long", "OpDef", "Shape", "Tensor", "find", "get", "op"]

Tensor = torch.Tensor
Shape = torch.Size

FLOATS = frozenset({torch.float32, torch.float64, torch.float16})
INTS = frozenset({torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8})
INDICES = frozenset({torch.int32, torch.int64})
BOOLS = frozenset({torch.bool})
NUMBERS = FLOATS | INTS
ANY = NUMBERS | BOOLS

# Attributes that every operator of Fluid may carry and no kernel here reads: bookkeeping of programs, and hints for
# Fluid's own kernel libraries.
COMMON_ATTRS = {
    "op_role": "INT", "op_role_var": "STRINGS", "op_namescope": "STRING", "op_callstack": "STRINGS",
    "op_device": "STRING", "use_mkldnn": "BOOLEAN", "use_cudnn": "BOOLEAN", "use_quantizer": "BOOLEAN",
    "mkldnn_data_type": "STRING", "is_test": "BOOLEAN", "data_format": "STRING", "workspace_size_MB": "INT",
    "exhaustive_search": "BOOLEAN", "fuse_relu_before_depthwise_conv": "BOOLEAN", "fuse_relu": "BOOLEAN",
    "fuse_brelu": "BOOLEAN", "fuse_brelu_threshold": "FLOAT", "fuse_activation": "STRING", "fuse_alpha": "FLOAT",
    "fuse_beta": "FLOAT", "fuse_residual_connection": "BOOLEAN", "Scale_in": "FLOAT", "Scale_out": "FLOAT",
    "Scale_x": "FLOAT", "Scale_y": "FLOAT", "scale_x": "FLOAT", "scale_y": "FLOATS", "scale_out": "FLOAT",
    "Scale_in_eltwise": "FLOAT", "Scale_weights": "FLOATS", "force_fp32_output": "BOOLEAN", "x_data_format": "STRING",
    "y_data_format": "STRING", "fuse_with_relu": "BOOLEAN", "use_addto": "BOOLEAN", "with_quant_attr": "BOOLEAN",
    "skip_quant": "BOOLEAN", "name": "STRING", "__rnn__": "BOOLEAN",
    "@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@": "BOOLEAN",
}  # fmt: skip

_registry: dict[str, OpDef] = {}


class OpDef:
    """One operator: its kernel, slots, attributes, and the rules that differ from the default."""

    def __init__(
        self,
        kernel: Callable,
        outputs: str,
        *,
        type: str | None = None,
        lod: str | None = "",
        makes_lod: bool = False,
        tells_lod: bool = False,
        dtypes: dict[str, frozenset[torch.dtype]] | None = None,
        nograd: str = "",
        inplace: dict[str, str] | None = None,
        intermediate: str = "",
        dispensable: str = "",
        duplicable: str = "",
        hidden: str = "",
        like: str = "",
        naming: str = "",
        random: str | None = None,
        once: bool = False,
        side_effect: bool = False,
        rename: dict[str, str] | None = None,
        extra_attrs: dict[str, str] | None = None,
    ):
        self.type = type or kernel.__name__
        self.kernel = kernel
        self.rename = rename or {}
        signature = read_signature(kernel, self.rename)
        self.inputs = signature.inputs
        self.params = signature.params
        self.attrs = signature.attrs
        self.engine = signature.engine
        self.outputs = tuple(
            Slot(
                name if name.endswith(GRAD_SUFFIX) else self.rename.get(name, name),
                name.replace(GRAD_SUFFIX, "_grad"),
                name in duplicable.split(),
                name in dispensable.split() or name in hidden.split(),
                name in intermediate.split() or name in hidden.split(),
            )
            for name in outputs.split()
        )
        # Outputs that Fluid does not have: they stay out of programs and save the gradient work in plans and the tape.
        self.hidden = frozenset(i for i, slot in enumerate(self.outputs) if slot.name in hidden.split())
        self.input_index = {slot.name: i for i, slot in enumerate(self.inputs)}
        self.output_index = {slot.name: i for i, slot in enumerate(self.outputs)}
        # In which order Fluid's layer functions number the outputs (`tmp_0`, `tmp_1`), if not in that of the slots.
        first = [self.output_index[self.rename.get(name, name)] for name in naming.split()]
        self.naming = (*first, *(i for i in range(len(self.outputs)) if i not in first))
        # Note [Who owns the LoD]: "" = the output carries the LoD of the first input that has one (of the named
        # slots, if any are named); None = it carries none. `@name.lods` replaces the rule by a function. Where only the
        # kernel can know (what is left after suppression), it returns tensors that have the LoD as `.lod`: `tells_lod`.
        self.lod = lod
        self.lod_rule: Callable | None = None
        self.makes_lod = makes_lod or tells_lod  # its rule gives LoDs where no input has one
        self.tells_lod = tells_lod
        self.dtypes = {self.input_index[name]: allowed for name, allowed in (dtypes or {}).items()}
        self.inplace = {self.output_index[out]: self.input_index[src] for out, src in (inplace or {}).items()}
        self.random = random
        self.once = once  # a gradient that takes saved outputs for constants: its own gradient would be wrong
        self.side_effect = side_effect
        self.extra_attrs = {**COMMON_ATTRS, **(extra_attrs or {})}
        never = set(nograd.split())
        read = {param.slot for param in self.params if param.kind == "value"}  # not for its shape alone
        self.differentiable = tuple(
            i
            for i, slot in enumerate(self.inputs)
            if i in read and slot.name not in never and not (i in self.dtypes and not self.dtypes[i] & FLOATS)
        )
        self.nograd_outputs = frozenset(
            i for i, slot in enumerate(self.outputs) if slot.name in never or slot.intermediate
        )
        self.has_gradient = bool(self.differentiable) and "*" not in never
        self.infer_rule: Callable | None = None
        self.like = self.input_index[like] if like else None  # the input that the output has shape and dtype of
        self.fused_kernel: Callable | None = None
        self.adders: dict[str, Callable] = {}  # of a gradient operator; see `adds`
        self._grad: OpDef | None = None
        self.forward: OpDef | None = None  # of a gradient operator: what it is the gradient of
        # The common case, which both executors take without looking further: every parameter is one tensor.
        self.plain = (
            not self.engine
            and all(p.kind == "value" for p in self.params)
            and not any(slot.duplicable for slot in (*self.inputs, *self.outputs))
        )
        self.single = len(self.outputs) == 1
        self.attr_params = frozenset(attr.param for attr in self.attrs.values())
        # How the imperative mode runs and replays it; made on first use.
        self.recipe: Any = None
        self.quick: dict[int, Any] = {}  # by the number of inputs
        self.hinted = False  # whether it was ever called with attributes that are not the kernel's
        self.spellings: dict[tuple, list[tuple[str, str]]] = {}  # and which of those given then are

    def __repr__(self) -> str:
        return f"<op {self.type}>"

    def __call__(self, *inputs: Any, outs: dict[str, Any] | None = None, name: Any = None, **attrs: Any) -> Any:
        """Run in the current mode. Inputs in slot order (None: absent); see `Mode.run` for the rest."""
        return mode.current.run(self, inputs, attrs, outs, name)

    # -- rules attached after the kernel ------------------------------------------------------------------------

    def grad(self, kernel: Callable | None = None, **options: Any) -> Any:
        """Decorator: the written gradient. It returns one value per differentiable input, in slot order.

        Parameters are what it reads: input slots, output slots, and `<Output>_grad`. `outputs="X Y"` names the
        inputs it gives gradients for, where that is not all of them. `needs` (keyword-only) tells which are wanted.
        """
        if kernel is None:
            return lambda k: self.grad(k, **options)
        self._grad = gradient_of(self, kernel, **options)
        return self._grad

    def lods(self, rule: Callable) -> Callable:
        """Decorator: the LoDs of the outputs from the LoDs of the inputs.

        The rule is called as `rule(ins, values, attrs)`: the LoD of each input slot (None: none; a list for a
        duplicable one), the input values, and the attributes; it returns one LoD or None per output slot.
        """
        self.lod_rule = rule
        return rule

    def infer(self, rule: Callable) -> Callable:
        """Decorator: shapes where running the kernel on meta tensors cannot tell, or takes too long; see ops/infer.py.

        `rule(inputs, attrs)` gives a Spec per output, or None to leave a case (every wrong one) to the kernel.
        """
        self.infer_rule = rule
        return rule

    def fused(self, kernel: Callable) -> Callable:
        """Decorator: one call for many updates. Takes a list per input slot (in slot order) and the attributes."""
        self.fused_kernel = kernel
        return kernel

    def adds(self, name: str) -> Callable[[Callable], Callable]:
        """Decorator, of a gradient operator: adds the gradient of input `name` to a sum, without making it first.

        The rule takes the sum, then what the gradient kernel takes (but `needs`). It returns False if it cannot, and
        has then done nothing. The gradient kernel must make its results anew, since others are added to them in place.
        """

        def attach(rule: Callable) -> Callable:
            self.adders[name] = rule
            return rule

        return attach

    @property
    def gradient(self) -> OpDef | None:
        """The gradient operator: the written one, else one derived by replaying the kernel; None if there is none."""
        if self.once:
            raise EnforceNotMet(f"{self.type}: the gradient of this gradient is not available")
        if self._grad is None and self.has_gradient:
            from refluid.ops.derive import derived_gradient  # derives from OpDef, so it cannot be imported above

            self._grad = derived_gradient(self)
        return self._grad

    # -- attributes ---------------------------------------------------------------------------------------------

    def complete_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The attributes as plain Python values, with defaults filled in; refuses unknown and missing ones."""
        for name in attrs:
            if not self.has_attr(name):
                known = ", ".join(self.attrs) or "none"
                raise ArgumentError(f"{self.type}: unknown attribute {name!r}; it has {known}")
        full = {name: plain_attr(value) for name, value in attrs.items()}
        for name, attr in self.attrs.items():
            if name not in full:
                if attr.required:
                    raise ArgumentError(f"{self.type}: attribute {name!r} is missing")
                full[name] = attr.default
                continue
            value = full[name]
            if isinstance(value, list) and len(value) == 1 and isinstance(attrs[name], np.ndarray):
                full[name] = value = value if attr.type.endswith("S") else value[0]
            if attr.type == "FLOAT" and isinstance(value, int):
                full[name] = float(value)
        return full

    def has_attr(self, name: str) -> bool:
        return name in self.attrs or name in self.extra_attrs

    def kernel_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Those that the kernel takes, under their Python names."""
        return {attr.param: attrs[name] for name, attr in self.attrs.items() if name in attrs}


def plain_attr(value: Any) -> Any:
    """An attribute as programs hold it: arrays and numbers of numpy become lists and numbers of Python."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple) and any(isinstance(one, np.generic) for one in value):
        return [plain_attr(one) for one in value]
    return value


def gradient_of(
    forward: OpDef, kernel: Callable, outputs: str | None = None, type: str | None = None, **options: Any
) -> OpDef:
    """The OpDef of a gradient kernel of `forward`."""
    wanted = outputs.split() if outputs else [forward.inputs[i].name for i in forward.differentiable]
    duplicable = [s.name for s in forward.inputs if s.duplicable]
    gradient = OpDef(
        kernel,
        " ".join(name + GRAD_SUFFIX for name in wanted),
        type=type or forward.type + "_grad",  # Fluid calls the gradient of cross_entropy2 cross_entropy_grad2
        duplicable=" ".join(name + GRAD_SUFFIX for name in wanted if name in duplicable),
        dispensable=" ".join(name + GRAD_SUFFIX for name in wanted),
        rename=forward.rename,
        lod=None,
        extra_attrs={**forward.extra_attrs, **{name: attr.type for name, attr in forward.attrs.items()}},
        **options,
    )
    gradient.forward = forward
    # What has no gradient in the forward operator (labels, saved statistics) has none in its gradient either.
    never = {slot.name for i, slot in enumerate(forward.inputs) if i not in forward.differentiable}
    never |= {forward.outputs[i].name for i in forward.nograd_outputs}
    gradient.differentiable = tuple(i for i in gradient.differentiable if gradient.inputs[i].name not in never)
    _register(gradient)
    return gradient


def op(outputs: str = "Out", **options: Any) -> Callable[[Callable], OpDef]:
    """Register the decorated kernel as an operator with these output slots (names separated by blanks)."""

    def register(kernel: Callable) -> OpDef:
        definition = OpDef(kernel, outputs, **options)
        _register(definition)
        return definition

    return register


def _register(definition: OpDef) -> None:
    if definition.type in _registry:
        raise ValueError(f"operator {definition.type} is registered twice")
    _registry[definition.type] = definition


def find(op_type: str) -> OpDef | None:
    """The operator of this type, or None. Derived gradients come into being when they are asked for."""
    found = _registry.get(op_type)
    if found is None and op_type.endswith("_grad"):
        forward = find(op_type.removesuffix("_grad"))
        if forward is not None:
            found = forward.gradient
    return found


def get(op_type: str) -> OpDef:
    found = find(op_type)
    if found is None:
        raise NotFoundError(f"operator {op_type!r} does not exist")
    return found


def all_types() -> Iterable[str]:
    return _registry.keys()
