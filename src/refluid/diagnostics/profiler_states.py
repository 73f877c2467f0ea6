"""The profiler as Fluid's compiled half has it: states and orders are values of enums (paddle.fluid.core)."""

from __future__ import annotations

import enum

from refluid.core.errors import ArgumentError
from refluid.diagnostics import profiler

_option = "Default"


class ProfilerState(enum.Enum):
    kDisabled, kCPU, kCUDA, kAll = range(4)


class TracerOption(enum.Enum):
    kDefault, kOpDetail, kAllOpDetail = range(3)


class EventSortingKey(enum.Enum):
    kDefault, kCalls, kTotal, kMin, kMax, kAve = range(6)


kDisabled, kCPU, kCUDA, kAll = ProfilerState
kOpDetail, kAllOpDetail = TracerOption.kOpDetail, TracerOption.kAllOpDetail
kDefault, kCalls, kTotal, kMin, kMax, kAve = EventSortingKey

_STATES = {ProfilerState.kCPU: "CPU", ProfilerState.kCUDA: "GPU", ProfilerState.kAll: "All"}


def set_tracer_option(option: TracerOption) -> None:
    """What gets a row of its own in the table of the profiler that is started next."""
    global _option
    _option = option.name.removeprefix("k")


def enable_profiler(state: ProfilerState) -> None:
    """Begin to time operators."""
    if state not in _STATES:
        raise ArgumentError(f"enable_profiler: state must be kCPU, kCUDA or kAll, got {state!r}")
    profiler.start_profiler(_STATES[state], _option)


def disable_profiler(key: EventSortingKey, profile_path: str) -> None:
    """Stop timing, print the table in this order and write the timeline."""
    name = key.name.removeprefix("k").lower()
    profiler.stop_profiler(None if name == "default" else name, profile_path)


def is_profiler_enabled() -> bool:
    return profiler.running()
