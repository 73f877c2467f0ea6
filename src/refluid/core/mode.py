"""The mode that runs an operator call: a recorder into a Program, or the imperative tape.

The mode is an object, not an `if`. `current` is read on every operator call, so it is a plain
module global: `mode.current.run(...)`.
"""

from __future__ import annotations

from typing import Any, Protocol


class Mode(Protocol):
    """What `refluid.layers`, `refluid.nn` and `refluid.optim` ask of a mode."""

    imperative: bool
    takes_imperative: bool  # whether imperative variables may take part, as they may while a function is translated
    fuses: bool  # whether layers may call one operator where programs have several

    def run(self, op: Any, inputs: tuple, attrs: dict[str, Any], outs: dict[str, Any] | None, name: Any) -> Any:
        """Run or record `op`. `inputs` are in the order of the op's input slots (None: absent, list: duplicable).

        `outs` gives variables to write to, by slot; `name` is the `LayerName` that new outputs are named after.
        Returns one variable, or a tuple in the order of the output slots.
        """
        ...


class _NoMode:
    imperative = False
    takes_imperative = False
    fuses = False

    def run(self, op: Any, *_: Any) -> Any:
        raise RuntimeError(f"{op.type}: import refluid.ir (or paddle.fluid) before calling operators")


current: Mode = _NoMode()


def switch(new: Mode) -> Mode:
    """Make `new` the current mode and return the old one."""
    global current
    old, current = current, new
    return old
