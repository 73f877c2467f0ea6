"""Switch: blocks of a program of which the first whose condition holds runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from refluid.core import dtypes, mode
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, DtypeError, ModeError
from refluid.ir.base_variable import BaseVariable
from refluid.ir.variable import Variable
from refluid.layers.control_flow.block import run_if
from refluid.ops.math.logical import logical_and, logical_not


class Switch:
    """The first case whose condition holds runs, else the default; each is a block of the program.

    Args:
        name: accepted.

    Example:
        >>> step = fluid.layers.fill_constant([1], "float32", 5.0)
        >>> limit = fluid.layers.fill_constant([1], "float32", 10.0)
        >>> rate = fluid.layers.create_global_var([1], 0.0, "float32", persistable=True, name="rate")
        >>> with fluid.layers.Switch() as switch:
        ...     with switch.case(step < limit):
        ...         small = fluid.layers.assign(np.array([0.1], "float32"), rate)
        ...     with switch.default():
        ...         large = fluid.layers.assign(np.array([1.0], "float32"), rate)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> startup = exe.run(fluid.default_startup_program())
        >>> exe.run(fetch_list=[rate])[0].tolist()
        [0.10000000149011612]
    """

    def __init__(self, name: str | None = None):
        self._inside = False
        self._none_before: BaseVariable | None = None  # a variable that says that no case so far has run

    def __enter__(self) -> Switch:
        mode.current().demand_program(
            ModeError("Switch: it builds blocks of a program; in the imperative mode write if and else")
        )
        self._inside = True
        return self

    def __exit__(self, *error: object) -> None:
        self._inside = False

    @contextlib.contextmanager
    def case(self, condition: BaseVariable) -> Iterator[None]:
        """The operators built inside run if the condition holds and no earlier one did.

        Args:
            condition: a bool variable [1].
        """
        if not self._inside:
            raise ArgumentError("Switch.case: call it inside `with fluid.layers.Switch() as switch:`")
        if not isinstance(condition, Variable):
            raise ArgumentError(f"Switch.case: condition must be a Variable, got {type(condition).__name__}")
        if condition.dtype != VarType.BOOL:
            raise DtypeError(f"Switch.case: condition must be bool, got {dtypes.dtype_name(condition.dtype)}")
        chosen, otherwise = condition, logical_not(condition)
        if self._none_before is not None:
            before = self._none_before
            otherwise = logical_and(before, otherwise)
            chosen = logical_and(before, condition)
        self._none_before = otherwise
        with run_if(chosen):
            yield

    @contextlib.contextmanager
    def default(self) -> Iterator[None]:
        """The operators built inside run if no case did."""
        if not self._inside or self._none_before is None:
            raise ArgumentError("Switch.default: call it after at least one Switch.case")
        with run_if(self._none_before):
            yield
