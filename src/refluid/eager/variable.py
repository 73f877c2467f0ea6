"""VarBase: a variable of the imperative mode, a thin object around a torch tensor."""

from __future__ import annotations

import copy
import weakref
from typing import Any

import numpy as np
import torch

from refluid.core import dtypes, mode, unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, EnforceNotMet, ModeError, ShapeError
from refluid.core.places import Place, device_of, place_of
from refluid.core.warn import warn_once
from refluid.eager.graph import Accumulator, Gradient, Leaf, Stopped, Watch
from refluid.eager.postponed import settle_readers
from refluid.eager.strategy import BackwardStrategy
from refluid.ir.base_variable import BaseVariable
from refluid.ir.block import Block
from refluid.ir.program import default_main_program
from refluid.tensor.lod import LoD
from refluid.tensor.lod_tensor import LoDTensor, tensor_of
from refluid.tensor.selected_rows import SelectedRows, to_dense
from refluid.tensor.text import tensor_text


class VarBase(BaseVariable):
    """A variable of the imperative mode: a value with a name, and a node of the graph where its gradient is summed.

    Args:
        t: the tensor.
        stop_gradient: whether gradients stop at it.
    """

    is_imperative = True
    persistable = False
    _name: str | None = None
    _lod: LoD | None = None
    _grad_node: Accumulator | None = None  # what accumulates the gradient
    _stopped: Stopped | None = None  # the Stopped that stands for it in graphs
    _reads_zeros = False  # where there is no gradient: it was cleared, or see Tape.zeros_where_stopped
    _reached: list | None = None  # parameters that the last backward from here has reached
    _watch: Watch | None = None  # is told which gradients are complete while a backward pass from here runs
    _weak: weakref.ref[VarBase] | None = None

    stop_gradient = True

    def __init__(self, t: torch.Tensor, stop_gradient: bool = True):
        self._t = t  # all that is set for every variable: recipe.py makes them without a constructor
        if not stop_gradient:
            self.stop_gradient = False

    def _ref(self) -> weakref.ref[VarBase]:
        ref = self._weak
        if ref is None:
            ref = self._weak = weakref.ref(self)
        return ref

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        if self._name is None:
            self._name = unique_name.generate("generated_var")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def shape(self) -> list[int]:
        return list(self._t.shape)

    @property
    def dtype(self) -> VarType:
        return dtypes.FROM_TORCH[self._t.dtype]

    @property
    def type(self) -> VarType:
        return VarType.SELECTED_ROWS if isinstance(self._t, SelectedRows) else VarType.LOD_TENSOR

    @property
    def lod_level(self) -> int:
        return 0 if self._lod is None else len(self._lod)

    @property
    def place(self) -> Place:
        return place_of(self._t.device)

    @property
    def block(self) -> Block:
        """Where programs that run in both modes look for a variable's program."""
        return default_main_program().global_block()

    def __len__(self) -> int:
        if not self._t.dim():
            raise TypeError(f"len: {self.name} has no axes")
        return self._t.shape[0]

    # -- its value ----------------------------------------------------------------------------------------------

    def numpy(self) -> np.ndarray:
        """A copy of the value."""
        mode.current().expose(self)
        return as_numpy(self._t)

    def value(self) -> VarBase:
        """What holds the tensor, for `x.value().get_tensor()`; here the variable itself."""
        return self

    def get_tensor(self) -> LoDTensor:
        """The value as a LoDTensor; setting that one sets the variable."""
        return HeldTensor(self)

    def set_value(self, value: object) -> None:
        """Replace the value by one of the same shape and dtype."""
        if isinstance(value, VarBase):
            t = value._t
        elif isinstance(value, LoDTensor):
            t = value.value()
        elif isinstance(value, np.ndarray | list | tuple | int | float | np.generic | torch.Tensor):
            t = tensor_of(value, self._t.device, copy=False)
        else:
            raise _no_value(self.name, value)
        if t.shape != self._t.shape:
            raise ShapeError(f"set_value: {self.name} has the shape {self.shape}, got {list(t.shape)}")
        if t.dtype != self._t.dtype:
            raise DtypeError(
                f"set_value: {self.name} is {dtypes.TORCH_NAME[self._t.dtype]}, got {dtypes.TORCH_NAME[t.dtype]}"
            )
        settle_readers([self._t])
        self._t.copy_(t)

    def _take_lod(self, lod: LoD | None) -> None:
        from refluid.eager.tape import Tape  # which makes variables

        self._lod = lod
        if lod is not None:
            Tape.expect_lods()

    def _become(self, other: VarBase) -> None:
        """Take over another variable's value and position in the graph (an `output=` argument)."""
        self._t, self._lod = other._t, other._lod
        self._grad_node, self.stop_gradient = other._grad_node, other.stop_gradient
        if self._grad_node is not None:
            self._grad_node.var = self._ref()

    def detach(self) -> VarBase:
        """A copy of the value outside the graph: updates of this variable do not reach it, as in Fluid."""
        t = self._t.clone() if isinstance(self._t, torch.Tensor) else copy.deepcopy(self._t)
        out = VarBase(t, stop_gradient=True)
        out._lod = self._lod
        mode.current().note_copy(out, self)
        return out

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def item(self) -> float:
        return self._one("item")

    def __float__(self) -> float:
        return float(self._one("float"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def __index__(self) -> int:
        return int(self._one("index"))  # Fluid: a float is truncated

    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    __long__, __nonzero__ = __int__, __bool__  # their names in Python 2

    def _one(self, what: str) -> float | int | bool:
        if self._t.numel() != 1:
            raise ShapeError(
                f"{what}: only a variable with one element has one, {self.name} has the shape {self.shape}"
            )
        mode.current().expose(self)
        return self._t.item()

    # -- its gradient -------------------------------------------------------------------------------------------

    def backward(self, backward_strategy: object = None, retain_graph: bool = False) -> None:
        """Compute the gradients of everything that led here, starting from ones."""
        from refluid.eager.backward import run_backward

        if backward_strategy is not None and not isinstance(backward_strategy, BackwardStrategy):
            kind = type(backward_strategy).__name__
            raise ArgumentError(f"backward: backward_strategy must be a BackwardStrategy, got {kind}")
        run_backward(self, retain_graph)

    @property
    def _grad(self) -> Gradient | None:
        """The raw gradient: a tensor, a SelectedRows, or None."""
        return None if self._grad_node is None else self._grad_node.grad

    def gradient(self) -> np.ndarray | tuple[np.ndarray, np.ndarray] | None:
        """The gradient of the last backward pass as a numpy array; None where it has brought none.

        Zeros after `clear_gradient`. A sparse gradient is a tuple (values, rows).
        """
        grad = self._grad
        if grad is None:
            if self._reads_zeros:
                return np.zeros(self.shape, dtypes.numpy_dtype(self.dtype))
            if self.stop_gradient:
                warn_once(
                    "gradient: this variable is stopped, so it has no gradient and None is returned, as in Fluid; set "
                    "stop_gradient = False before it is used"
                )
            return None
        if isinstance(grad, SelectedRows):
            return as_numpy(grad.value), np.array(grad.rows(), dtype=np.int64)
        return as_numpy(grad)

    @property
    def grad(self) -> VarBase | None:
        """The gradient as a variable, or None."""
        grad = self._grad
        if grad is None:
            return None
        var = VarBase(to_dense(grad) if isinstance(grad, SelectedRows) else grad)
        var.name = self._grad_name()
        return var

    def _grad_ivar(self) -> VarBase | None:
        return self.grad

    def _grad_name(self) -> str:
        return f"{self.name}@GRAD"

    def _grad_value(self) -> LoDTensor | None:
        grad = self.grad
        return None if grad is None else grad.get_tensor()

    def clear_gradient(self) -> None:
        """Clear the gradient; it reads as zeros (a sparse one as None) until the next backward pass."""
        accumulator = self._grad_node
        if accumulator is None:
            return
        grad = accumulator.held if type(accumulator) is Leaf else accumulator.grad
        if grad is not None:
            self._reads_zeros = not isinstance(grad, SelectedRows)
            accumulator.grad = None

    def _as_leaf(self) -> Leaf:
        if type(self._grad_node) is not Leaf:
            self._grad_node = Leaf(self._ref())
        return self._grad_node

    # -- telling about it ---------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        text = repr(self._t) if isinstance(self._t, SelectedRows) else tensor_text(self._t, self._lod)
        return f"name {self.name}, dtype: {self.dtype} shape: {self.shape} {text}"

    __str__ = __repr__

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        return str(self)

    # -- copying ------------------------------------------------------------------------------------------------

    def _copy_to(self, place: Place, blocking: bool = True) -> VarBase:
        """A copy of the value on another place, outside the graph."""
        out = VarBase(self._t.to(device_of(place), copy=True))
        out._lod, out.persistable = self._lod, self.persistable
        return out

    def __deepcopy__(self, memo: dict) -> VarBase:
        """A copy of the value with a name of its own; its gradient and the graph behind it are not copied."""
        copied = self.__class__.__new__(self.__class__)
        memo[id(self)] = copied
        for key, value in self.__getstate__().items():
            copied.__dict__[key] = value if key in ("_lod", "regularizer") else copy.deepcopy(value, memo)
        if self._name is not None:
            copied._name = unique_name.generate(f"{self._name}_deepcopy")
        return copied

    def __getstate__(self) -> dict[str, Any]:
        """What pickle keeps: all but the graph."""
        return {key: value for key, value in self.__dict__.items() if key not in _OF_THE_GRAPH}


_OF_THE_GRAPH = frozenset({"_grad_node", "_stopped", "_weak", "_watch", "_reached", "_reads_zeros"})


class HeldTensor(LoDTensor):
    """The tensor of a variable: what is set here is set there."""

    __slots__ = ("var",)

    def __init__(self, var: VarBase):
        super().__init__()
        self.t, self.lod_value, self.var = var._t, var._lod, var

    def set(self, array: object, place: Place, zero_copy: bool = False) -> None:
        super().set(array, place, zero_copy)
        new, held = self.value(), self.var._t
        if new.shape == held.shape and new.dtype == held.dtype and new.device == held.device:
            settle_readers([held])
            self.t = held.copy_(new)  # keeps its memory format
        else:
            self.var._t = new

    def _take_lod(self, lod: LoD) -> None:
        super()._take_lod(lod)
        self.var._take_lod(self.lod_value)


def as_numpy(t: torch.Tensor) -> np.ndarray:
    """A C-contiguous array of its own memory."""
    return np.array(t.numpy() if t.device.type == "cpu" else t.cpu().numpy(), order="C")


def _no_value(name: str, value: object) -> EnforceNotMet:
    if isinstance(value, BaseVariable):
        return ModeError(
            f"set_value: {name} cannot take over {value.name}, a variable of a static program, which has no value of "
            "its own; give what Executor.run(fetch_list=[...]) fetches of it"
        )
    return DtypeError(f"set_value: {name} takes an array or a variable, got {type(value).__name__}")
