"""StateCell: the states of a decoder's step, under names, whatever the decoder keeps them in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from refluid.core.errors import ArgumentError, DtypeError, NotFoundError
from refluid.layers.creation import fill_constant_batch_size_like

if TYPE_CHECKING:
    from refluid.core.types import Dtype
    from refluid.ir.base_variable import BaseVariable


class InitState:
    """A state before the first step.

    Args:
        init: its value, a row for each sequence; without it `init_boot` is needed.
        shape, value, dtype: of a state that is made: filled with `value`, as many rows as init_boot has.
        init_boot: a variable with a row for each sequence.
        need_reorder: the rows are in the order of the batch; TrainingDecoder needs that of the sequences' lengths.
    """

    def __init__(
        self,
        init: Any = None,
        shape: Any = None,
        value: float = 0.0,
        init_boot: Any = None,
        need_reorder: bool = False,
        dtype: Dtype = "float32",
    ):
        if init is None:
            if init_boot is None:
                raise ArgumentError("InitState: init, or init_boot with the shape of the state, must be given")
            init = fill_constant_batch_size_like(input=init_boot, value=value, shape=shape, dtype=dtype)
        self._init, self._need_reorder = init, need_reorder

    @property
    def value(self) -> Any:
        """The variable."""
        return self._init

    @property
    def need_reorder(self) -> bool:
        return self._need_reorder


class Kept(Protocol):
    """Where a decoder keeps one state from step to step."""

    def get_state(self) -> BaseVariable: ...

    def update_state(self, state: BaseVariable) -> None: ...


class Decoder(Protocol):
    def keep(self, init: InitState) -> Kept:
        """Keep a state that begins with this."""


class StateCell:
    """The inputs and states of a step, and how it computes its states.

    Args:
        inputs: {name: variable, or None for what compute_state gives}.
        states: {name: InitState}.
        out_state: the name of the state that scores are computed from.
    Example:
        cell = StateCell(inputs={"word": None}, states={"h": InitState(init=encoded, need_reorder=True)}, out_state="h")

        @cell.state_updater
        def step(cell):
            h = fluid.layers.fc([cell.get_state("h"), cell.get_input("word")], size, act="tanh")
            cell.set_state("h", h)
    """

    def __init__(self, inputs: dict[str, Any], states: dict[str, InitState], out_state: str, name: str | None = None):
        for key, state in states.items():
            if not isinstance(state, InitState):
                raise DtypeError(f"StateCell: state {key!r} must be an InitState, got {type(state).__name__}")
        if out_state not in states:
            raise NotFoundError(f"StateCell: out_state must be one of {', '.join(states)}, got {out_state!r}")
        self._inputs, self._inits, self._out_state = dict(inputs), dict(states), out_state
        self._current: dict[str, Any] = dict(states)
        self._kept: dict[str, Kept] | None = None  # made when the block of a decoder first asks for a state
        self._decoder: Decoder | None = None
        self._updater: Callable[[StateCell], Any] | None = None

    @property
    def input_names(self) -> list[str]:
        return list(self._inputs)

    @property
    def state_names(self) -> list[str]:
        return list(self._inits)

    # -- what decoders call ---------------------------------------------------------------------------------------

    def enter(self, decoder: Decoder) -> None:
        if self._decoder is not None:
            raise ArgumentError("StateCell: it is in a decoder already, whose block must end first")
        self._decoder = decoder

    def leave(self) -> None:
        self._decoder, self._kept, self._current = None, None, dict(self._inits)

    def _switch(self) -> None:
        """Let the decoder keep the states, if one is entered."""
        if self._decoder is not None and self._kept is None:
            self._kept = {}
            for name, init in self._inits.items():
                self._kept[name] = self._decoder.keep(init)
                self._current[name] = self._kept[name].get_state()

    # -- what a step calls ----------------------------------------------------------------------------------------

    def get_state(self, state_name: str) -> BaseVariable:
        """The present value of a state."""
        self._switch()
        if state_name not in self._current:
            raise NotFoundError(f"get_state: there is no state {state_name!r}; there are {', '.join(self._inits)}")
        return self._current[state_name]

    def set_state(self, state_name: str, state_value: BaseVariable) -> None:
        """Give a state a new value; `update_states` keeps it for the next step."""
        if state_name not in self._inits:
            raise NotFoundError(f"set_state: there is no state {state_name!r}; there are {', '.join(self._inits)}")
        self._current[state_name] = state_value

    def get_input(self, input_name: str) -> BaseVariable:
        """An input of the step."""
        if self._inputs.get(input_name) is None:
            raise NotFoundError(
                f"get_input: input {input_name!r} has no value; give it to compute_state, or to StateCell at first"
            )
        return self._inputs[input_name]

    def state_updater(self, updater: Callable[[StateCell], Any]) -> Callable[[StateCell], Any]:
        """Decorator: the function that computes the states of a step from the cell's inputs and states."""
        self._updater = updater
        return updater

    def compute_state(self, inputs: dict[str, Any]) -> None:
        """Take the inputs of the step and compute its states."""
        self._switch()
        for name, value in inputs.items():
            if name not in self._inputs:
                raise NotFoundError(
                    f"compute_state: there is no input {name!r}; there are {', '.join(self._inputs) or 'none'}"
                )
            self._inputs[name] = value
        if self._updater is None:
            raise ArgumentError("compute_state: mark the function that computes the states with @cell.state_updater")
        self._updater(self)

    def update_states(self) -> None:
        """Keep all states for the next step."""
        self._switch()
        for name, kept in (self._kept or {}).items():
            kept.update_state(self._current[name])

    def out_state(self) -> BaseVariable:
        """The state that scores are computed from."""
        return self._current[self._out_state]
