"""What an operator is: a definition that does not change, and the rules that are attached to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

from refluid.core import mode
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.ops.backward_ops import BackwardOp, Call
from refluid.ops.signature import Attr, Param, Slot

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

_modes, _own_mode = mode.thread, mode.thread.own.get  # what mode.current() asks; written out for the speed of calls


@dataclass(frozen=True)
class Convolution:
    """What passes over plans know of a convolution."""

    axes: int
    transposed: bool = False


class Postponable(NamedTuple):
    """An input whose gradient can be computed on its own and later; see OpDef.postpones."""

    name: str
    reads: str
    unless: str


@dataclass(frozen=True)
class ControlFlow:
    """What is asked of an operator that carries a block; how its body runs is told in executor/blocks."""

    called: str  # what errors call such operators: loops, branches
    carries: str = ""  # the output slot of variables that go from one iteration to the next
    may_not_run: bool = False  # the block may run not at all, and then gives no gradients


@dataclass(eq=False)
class Rules:
    """What differs from the default; the methods of OpDef of the same names attach them."""

    gradient: OpDef | None = None
    lods: Callable | None = None
    infer: Callable | None = None
    fused: Callable | None = None
    fused_sparse: Callable | None = None
    over: Callable | None = None
    selects: Callable[[dict[str, Any]], bool] | None = None
    onednn: Callable[..., Any] | None = None
    pointwise: Callable[..., Any] | None = None
    adds: dict[str, Callable] = field(default_factory=dict)
    postponed: Postponable | None = None
    in_backward: OpDef | None = None
    gradient_ops: Callable[[Call], list[BackwardOp]] | None = None
    gradient_block: Callable[..., Any] | None = None
    replay: Callable[..., None] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class OpDef:
    """One operator. `registry.define` reads it off a kernel; Fluid's names of the options are explained there.

    Slots are numbered: `dtypes`, `inplace`, `differentiable` and the like hold their places in `inputs` and `outputs`.
    """

    type: str
    kernel: Callable
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    params: tuple[Param, ...]  # what the kernel takes by position
    attrs: dict[str, Attr]
    engine: tuple[str, ...]  # which ENGINE_PARAMS the kernel asks for
    extra_attrs: dict[str, str]  # attributes that programs give and the kernel does not read, beside COMMON_ATTRS
    rename: dict[str, str]  # names in programs that are no Python names
    naming: tuple[int, ...]  # in which order Fluid's layer functions number the outputs (`tmp_0`, `tmp_1`)
    differentiable: tuple[int, ...]
    nograd_outputs: frozenset[int]
    has_gradient: bool
    forward: OpDef | None = None  # of a gradient operator: what it is the gradient of
    once: bool = False  # a gradient that takes saved outputs for constants: its own gradient would be wrong
    # Note [Who owns the LoD]: "" = the output carries the LoD of the first input that has one (of the named
    # slots, if any are named); None = it carries none. `@name.lods` replaces the rule by a function. Where only the
    # kernel can know (what is left after suppression), it returns tensors that have the LoD as `.lod`: `tells_lod`.
    lod: str | None = None
    makes_lod: bool = False  # its rule gives LoDs where no input has one
    tells_lod: bool = False
    dtypes: dict[int, frozenset[torch.dtype]] = field(default_factory=dict)
    inplace: dict[int, int] = field(default_factory=dict)  # the outputs that are inputs
    hidden: frozenset[int] = frozenset()  # outputs that Fluid does not have; see docs/architecture.md
    like: int | None = None  # the input that the output has shape and dtype of
    random: str | None = None
    side_effect: bool = False
    fresh: bool = False  # what it gives are tensors of their own: no inputs, and no views of inputs
    views: tuple[int, ...] = ()  # inputs that what it gives may be, or may be views of
    convolution: Convolution | None = None
    statistics: tuple[str, ...] = ()  # inputs that hold running means and variances, which no gradient changes
    synchronous: str = ""  # the type of the operator that does the same by the batches of all trainers together
    by_executor: str = ""  # what the executor does in its place: "feed", "fetch" or "read"
    # Of an update that does to a row what depends on that row alone: the accumulators with a row for every row of the
    # parameter. Other inputs (the learning rate, the powers of betas) belong to the whole parameter.
    row_states: tuple[str, ...] | None = None
    collective: bool = False  # all ranks of a ring meet in it
    control_flow: ControlFlow | None = None
    late: frozenset[str] = frozenset()  # inputs whose dtype Fluid looks at when a program runs, not while it is built
    grad_keeps: tuple[str, ...] = ()  # slots that its gradient has in Fluid, which reads them; no rule here does
    grad_hints: tuple[str, ...] = ()  # attributes that its gradient has in Fluid's files; see saving/hints.py
    keeps_rows: Callable[[dict[str, Any], int], bool] | None = None  # see ops/rows.py
    # Of an activation that oneDNN applies behind a convolution: which attribute the convolution's fuse_alpha is.
    fuse_alpha: str | None = None
    rules: Rules = field(default_factory=Rules)
    # Worked out of the above.
    input_index: dict[str, int] = field(init=False)
    output_index: dict[str, int] = field(init=False)
    single: bool = field(init=False)
    attr_params: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.__dict__.update(
            input_index={slot.name: i for i, slot in enumerate(self.inputs)},
            output_index={slot.name: i for i, slot in enumerate(self.outputs)},
            single=len(self.outputs) == 1,
            attr_params=frozenset([attr.param for attr in self.attrs.values()]),
        )

    def __repr__(self) -> str:
        return f"<op {self.type}>"

    def __call__(
        self, *inputs: object, outs: dict[str, Any] | None = None, name: object = None, **attrs: object
    ) -> Any:
        """Run in the current mode. Inputs in slot order (None: absent); see `Mode.run` for the rest."""
        return (_own_mode() or _modes.shared).run(self, inputs, attrs, outs, name)

    # -- rules attached after the kernel ------------------------------------------------------------------------

    def grad(self, kernel: Callable | None = None, **options: Any) -> Any:
        """Decorator: the written gradient. It returns one value per differentiable input, in slot order.

        Parameters are what it reads: input slots, output slots, and `<Output>_grad`. `outputs="X Y"` names the
        inputs it gives gradients for, where that is not all of them. `needs` (keyword-only) tells which are wanted.
        """
        from refluid.ops.registry import register_gradient  # it makes an OpDef, so it cannot be imported above

        if kernel is None:
            return lambda k: self.grad(k, **options)
        self.rules.gradient = register_gradient(self, kernel, **options)
        return self.rules.gradient

    def lods(self, rule: Callable) -> Callable:
        """Decorator: the LoDs of the outputs from the LoDs of the inputs.

        The rule is called as `rule(ins, values, attrs)`: the LoD of each input slot (None: none; a list for a
        duplicable one), the input values, and the attributes; it returns one LoD or None per output slot.
        """
        self.rules.lods = rule
        return rule

    def infer(self, rule: Callable) -> Callable:
        """Decorator: shapes where running the kernel on meta tensors cannot tell, or takes too long; see ops/infer.py.

        `rule(inputs, attrs)` gives a Spec per output, or None to leave a case (every wrong one) to the kernel.
        """
        self.rules.infer = rule
        return rule

    def fused(self, kernel: Callable) -> Callable:
        """Decorator: one call for many updates. Takes a list per input slot (in slot order) and the attributes."""
        self.rules.fused = kernel
        return kernel

    def fused_sparse(self, kernel: Callable) -> Callable:
        """Attach the same for sparse gradients, which go to the kernel one by one without it."""
        self.rules.fused_sparse = kernel
        return kernel

    def over(self, kernel: Callable) -> Callable:
        """Decorator: the kernel where nobody else reads the first input, which it may write over.

        It takes the inputs, and those attributes that it names. The gradient must not read that input.
        """
        self.rules.over = kernel
        return kernel

    def selects(self, rule: Callable[[dict[str, Any]], bool]) -> Callable[[dict[str, Any]], bool]:
        """Decorator: with which attributes Out holds largest elements of X, so that a ReLU may come after it."""
        self.rules.selects = rule
        return rule

    def onednn(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: (name, numbers) by which oneDNN computes this activation behind a convolution; None if it cannot.

        The rule takes the attributes.
        """
        self.rules.onednn = rule
        return rule

    def pointwise(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: the operator in instructions, for tensors of one shape; see ops/pointwise.py."""
        self.rules.pointwise = rule
        return rule

    def adds(self, name: str) -> Callable[[Callable], Callable]:
        """Decorator, of a gradient operator: adds the gradient of input `name` to a sum, without making it first.

        The rule takes the sum, then what the gradient kernel takes (but `needs`). It returns False if it cannot, and
        has then done nothing. The gradient kernel must make its results anew, since others are added to them in place.
        """

        def attach(rule: Callable) -> Callable:
            self.rules.adds[name] = rule
            return rule

        return attach

    def postpones(self, name: str, reads: str, unless: str = "") -> None:
        """Of a gradient operator: the gradient of input `name` costs the same if it is computed on its own and later.

        It is made of the values of the input `reads` and of the gradient of the output alone, unless the attribute
        `unless` is set. `needs` tells the kernel which gradients are wanted. See eager/postponed.py.
        """
        self.rules.postponed = Postponable(name, reads, unless)

    def in_backward(self, outputs: str, **options: Any) -> Callable[[Callable], OpDef]:
        """Decorator: what plans run where a backward pass calls the operator, if its type means something else there.

        Slots that programs name are the operator's; `hidden` outputs are inputs that the kernel changes in place.
        """
        from refluid.ops.registry import define  # it makes an OpDef, so it cannot be imported above

        def attach(kernel: Callable) -> OpDef:
            self.rules.in_backward = define(kernel, outputs, nograd="*", **options)
            return self.rules.in_backward

        return attach

    def gradient_ops(self, rule: Callable[[Call], list[BackwardOp]]) -> Callable[[Call], list[BackwardOp]]:
        """Decorator: the operators that Fluid writes into a program in place of `<op>_grad`; [] to write that one."""
        self.rules.gradient_ops = rule
        return rule

    def gradient_block(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator, of an operator that carries a block: the block of its gradients, and the operator that runs it.

        `rule(walk, operator, available)` gives a GradOp, or None if nothing is passed on; autodiff/blocks.py has what
        rules are made of. `available` are the outputs whose gradients exist.
        """
        self.rules.gradient_block = rule
        return rule

    def replay(self, rule: Callable[..., None]) -> Callable[..., None]:
        """Decorator: `rule(replay, operator)` runs the operator on the tape, for gradients of gradients of a program.

        `replay` is a jit.replay.Replay. Operators without a rule are called.
        """
        self.rules.replay = rule
        return rule

    @property
    def gradient(self) -> OpDef | None:
        """The gradient operator: the written one, else one derived by replaying the kernel; None if there is none."""
        if self.once:
            raise EnforceNotMet(f"{self.type}: the gradient of this gradient is not available")
        if self.rules.gradient is None and self.has_gradient:
            from refluid.ops.derive import derived_gradient  # it makes an OpDef, so it cannot be imported above

            self.rules.gradient = derived_gradient(self)
        return self.rules.gradient

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
        return name in self.attrs or name in self.extra_attrs or name in COMMON_ATTRS

    def attr_type(self, name: str) -> str:
        """The type of an attribute, as Fluid's files name it."""
        if name in self.attrs:
            return self.attrs[name].type
        return self.extra_attrs.get(name) or COMMON_ATTRS[name]

    def kernel_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Those that the kernel takes, under their Python names."""
        return {attr.param: attrs[name] for name, attr in self.attrs.items() if name in attrs}


def plain_attr(value: object) -> Any:
    """An attribute as programs hold it: arrays and numbers of numpy become lists and numbers of Python."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple) and any(isinstance(one, np.generic) for one in value):
        return [plain_attr(one) for one in value]
    return value
