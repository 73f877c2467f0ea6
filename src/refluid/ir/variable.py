"""Variable and Parameter: a name in a block, and what is known of its value before it exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from refluid.core import dtypes, mode, unique_name
from refluid.core.callsite import is_loop_test, user_site
from refluid.core.dtypes import VarType
from refluid.core.errors import ModeError, ShapeError
from refluid.core.warn import warn_once
from refluid.ir.base_variable import BaseVariable
from refluid.ir.proto_text import variable_text
from refluid.ops.infer import Spec

if TYPE_CHECKING:
    from refluid.core.types import Dtype
    from refluid.ir.block import Block
    from refluid.ir.operator import Operator


class Variable(BaseVariable):
    """A variable of a block. Its shape may hold -1 for sizes that only a run tells.

    Args:
        block: the block that it is part of.
        type: the kind of value: a tensor, an array of tensors, selected rows and so on.
        name: its name; a new one if None.
        shape: its sizes; -1 where only a run tells.
        dtype: its dtype.
        lod_level: the number of LoD levels.
        persistable: whether it is kept from run to run.
        error_clip: clips its gradient, see fluid.clip.ErrorClipByValue.
        stop_gradient: whether gradients stop at it.
        is_data: whether it is fed.
        need_check_feed: whether fed values must have its shape and dtype.
    """

    name: str
    block: Block
    type: VarType
    lod_level: int

    def __init__(
        self,
        block: Block,
        type: VarType = VarType.LOD_TENSOR,
        name: str | None = None,
        shape: Sequence[int] | None = None,
        dtype: Dtype | None = None,
        lod_level: int | None = None,
        persistable: bool = False,
        error_clip: object = None,
        stop_gradient: bool = False,
        is_data: bool = False,
        need_check_feed: bool = False,
        **_: object,
    ):
        self.block = block
        self.name = unique_name.generate("_generated_var") if name is None else name
        self.type = type
        self._shape = None if shape is None else check_shape(self.name, shape)
        self._dtype = None if dtype is None else dtypes.var_type(dtype)
        self.lod_level = lod_level or 0
        self._persistable = persistable
        self.error_clip = error_clip
        self.stop_gradient = stop_gradient
        self.is_data = is_data
        self.need_check_feed = need_check_feed
        self.op: Operator | None = None  # who wrote it first

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape if self._shape is not None else ()

    @shape.setter
    def shape(self, value: Sequence[int]) -> None:
        self._shape = tuple(value)

    @property
    def dtype(self) -> VarType:
        return VarType.FP32 if self._dtype is None else self._dtype

    @dtype.setter
    def dtype(self, value: Dtype | None) -> None:
        self._dtype = dtypes.var_type(value)

    @property
    def persistable(self) -> bool:
        return self._persistable

    @persistable.setter
    def persistable(self, value: bool) -> None:
        if value != self._persistable:
            self._persistable = value
            self.block.program.touch()

    @property
    def is_parameter(self) -> bool:
        return False

    def spec(self) -> Spec:
        return Spec(self.shape, dtypes.TORCH[self.dtype], self.lod_level)

    def adopt(self, spec: Spec) -> None:
        """Take over what inference found."""
        self._shape = spec.shape
        self._dtype = dtypes.FROM_TORCH[spec.dtype]

    @property
    def grad_name(self) -> str:
        return self.name + "@GRAD"

    # -- what programs do with it -------------------------------------------------------------------------------

    def detach(self) -> Variable:
        """The same values, detached: no gradient flows back."""
        from refluid.ops.shape.assign import assign

        out = assign(self)
        out.stop_gradient = True
        return out

    belong_to_optimizer = False  # Fluid: whether an optimizer has made it, to save it apart

    @property
    def _stop_gradient(self) -> bool:
        return self.stop_gradient

    def _set_info(self, key: str, value: object) -> None:
        """Keep a note on the variable, for tools."""
        self.__dict__.setdefault("_info", {})[key] = value

    def _get_info(self, key: str) -> Any:
        return self.__dict__.get("_info", {}).get(key)

    def _set_error_clip(self, error_clip: object) -> None:
        self.error_clip = error_clip

    set_error_clip = _set_error_clip

    def numpy(self) -> np.ndarray:
        raise ModeError(
            f"numpy: {self.name} is a variable of the static mode and has no value of its own; "
            "fetch it with Executor.run(fetch_list=[...]), or work inside fluid.dygraph.guard()"
        )

    def set_value(self, value: object) -> None:
        raise ModeError(
            f"set_value: {self.name} is a variable of the static mode and has no value of its own; set the one in "
            f"the scope: fluid.global_scope().find_var({self.name!r}).get_tensor().set(array, place)"
        )

    def _no_value(self, *_: object, **__: object) -> NoReturn:
        raise ModeError(
            f"{self.name} is a variable of the static mode and has no value while the program is built; "
            "fetch it with Executor.run(fetch_list=[...]), or work inside fluid.dygraph.guard()"
        )

    __float__ = __int__ = _no_value

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        """An array of no axes that holds the variable itself: numpy takes it for any Python object."""
        if dtype is not None and np.dtype(dtype) != object:
            self._no_value()
        self._warn_if_translated("it is given to numpy")
        array = np.empty((), object)
        array[()] = self
        return array

    def backward(self, *_: object, **__: object) -> None:
        raise ModeError(
            f"backward: {self.name} is a variable of the static mode; use optimizer.minimize(loss) or "
            "fluid.backward.append_backward(loss), or work inside fluid.dygraph.guard()"
        )

    def gradient(self) -> np.ndarray:
        raise ModeError(
            f"gradient: {self.name} is a variable of the static mode; fetch {self.grad_name!r} with Executor.run, "
            "or work inside fluid.dygraph.guard()"
        )

    def describe(self) -> str:
        return f"{self.name}  {dtypes.NAME[self.dtype]} {list(self.shape)}"

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        return variable_text(self, with_details)

    def __str__(self) -> str:
        return variable_text(self)

    def __repr__(self) -> str:
        """On one line, for lists and messages."""
        from refluid.ir.printer import print_variable

        return print_variable(self)

    def __bool__(self) -> bool:
        """True, as of any Python object: programs write `if bias:` for "if there is one"."""
        self._warn_if_translated("its truth is taken")
        if is_loop_test(user_site()):
            warn_once(
                f"`while` tests {self.name}, a variable of the static mode, which is true while a program is built, so "
                "that the loop does not end by it; use fluid.layers.While or fluid.layers.while_loop"
            )
        return True

    def _warn_if_translated(self, what: str) -> None:
        """In a function that becomes a program, Python that needs a value sees the variable itself."""
        mode.current().warn_of_constant(
            f"{self.name} is a variable of the static mode: {what} where a function becomes a program, which looks "
            "at no value; keep to operators, `if` and loops"
        )

    def __len__(self) -> int:
        if not self.shape or self.shape[0] < 0:
            raise ShapeError(f"len: the first size of {self.name} {list(self.shape)} is not known")
        return self.shape[0]


class Parameter(Variable):
    """A persistable variable that training changes.

    Args:
        block: the block that it is part of.
        shape: its sizes.
        dtype: its dtype.
        type: the kind of value, a tensor.
        options: trainable, optimize_attr ({"learning_rate": factor}), regularizer, gradient_clip_attr,
            do_model_average, and those of Variable.
    """

    def __init__(
        self, block: Block, shape: Sequence[int], dtype: Dtype, type: VarType = VarType.LOD_TENSOR, **options: Any
    ):
        if shape is None or len(shape) == 0:
            raise ShapeError(f"create_parameter: {options.get('name')} needs a shape of one size or more")
        if any(size < 0 for size in shape):
            raise ShapeError(f"create_parameter: {options.get('name')} has a negative size: {list(shape)}")
        self.trainable = options.pop("trainable", True)
        self.optimize_attr = options.pop("optimize_attr", None) or {"learning_rate": 1.0}
        self.regularizer = options.pop("regularizer", None)
        self.gradient_clip_attr = options.pop("gradient_clip_attr", None)
        self.do_model_average = options.pop("do_model_average", None)
        self.is_distributed = options.pop("is_distributed", False)
        self.initializer = options.pop("initializer", None)
        options["persistable"] = True
        super().__init__(block, type, shape=shape, dtype=dtype, **options)

    @property
    def is_parameter(self) -> bool:
        return True


def check_shape(name: str, shape: Sequence[int]) -> tuple[int, ...]:
    """A shape as a tuple of ints; None means unknown, as programs of 1.7 and later write it."""
    try:
        return tuple(-1 if size is None else int(size) for size in shape)
    except (TypeError, ValueError):
        raise ShapeError(f"{name}: shape must be a list of ints, got {shape!r}") from None
