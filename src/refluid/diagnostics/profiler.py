"""The profiler: which operators a program spends its time in."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.diagnostics import report
from refluid.diagnostics.timing import Timer

PROFILE = os.path.join(tempfile.gettempdir(), "profile")
_STATES = ("CPU", "GPU", "All")
_OPTIONS = ("Default", "OpDetail", "AllOpDetail")

_running: Timer | None = None


@contextlib.contextmanager
def profiler(
    state: str, sorted_key: str | None = None, profile_path: str = PROFILE, tracer_option: str = "Default"
) -> Iterator[None]:
    """Time the operators that run inside, in either mode; at the end print a table and write a timeline.

    Args:
        state: "CPU"; with "GPU" or "All" each operator is timed until the CUDA device is done with it.
        sorted_key: "calls", "total", "max", "min" or "ave" of the rows; None for the order in which they ran.
        profile_path: the file for the timeline; open it in chrome://tracing or ui.perfetto.dev.
        tracer_option: "OpDetail" has a row for every line of your program that calls an operator, "AllOpDetail" also
            for different shapes of its inputs.

    Yields:
        None.

    Example:
        >>> import contextlib, io
        >>> y = fluid.layers.relu(fluid.data("x", [None, 2]))
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     with fluid.profiler.profiler("CPU", sorted_key="total", profile_path="timeline"):
        ...         _ = exe.run(feed={"x": np.ones((1, 2), "float32")}, fetch_list=[y])
        >>> "relu" in printed.getvalue()
        True
    """
    _check_key(sorted_key)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Begin to time operators; see `profiler`. Nothing happens if that is so already.

    Args:
        state: "CPU", "GPU" or "All".
        tracer_option: "Default", "OpDetail" or "AllOpDetail".

    Returns:
        None.
    """
    global _running
    if state not in _STATES:
        raise ArgumentError(f"start_profiler: state must be one of {', '.join(_STATES)}, got {state!r}")
    if tracer_option not in _OPTIONS:
        raise ArgumentError(
            f"start_profiler: tracer_option must be one of {', '.join(_OPTIONS)}, got {tracer_option!r}"
        )
    if _running is None:
        _running = Timer(
            lines=tracer_option != "Default",
            shapes=tracer_option == "AllOpDetail",
            synchronize=state != "CPU" and torch.cuda.is_available(),
        )
        _running.install()


def stop_profiler(sorted_key: str | None = None, profile_path: str = PROFILE) -> None:
    """Stop timing, print the table and write the timeline; see `profiler`. Nothing happens if no profiler runs.

    Args:
        sorted_key: the column by which rows are sorted.
        profile_path: the file for the timeline.

    Returns:
        None.
    """
    global _running
    _check_key(sorted_key)
    if _running is None:
        return
    timer, _running = _running, None
    timer.remove()
    print(f"\n{report.table(timer.events, sorted_key, 'CUDA' if timer.synchronize else 'CPU')}")
    try:
        Path(profile_path).write_text(report.timeline(timer.events))
    except OSError as error:
        raise EnforceNotMet(
            f"stop_profiler: the timeline cannot be written to profile_path {str(profile_path)!r}: {error.strerror}"
        ) from None


def start_gperf_profiler() -> None:
    """Begin to time operators on the CPU: what 1.5 and 1.8 asked gperftools for, which Python has no need of.

    Returns:
        None.
    """
    start_profiler("CPU")


def stop_gperf_profiler() -> None:
    """Stop timing, print the table with the slowest operators first, and write the timeline.

    Returns:
        None.
    """
    stop_profiler("total")


def running() -> bool:
    """Whether operators are timed now."""
    return _running is not None


def reset_profiler() -> None:
    """Discard what was timed so far.

    Returns:
        None.
    """
    if _running is not None:
        _running.events.clear()


@contextlib.contextmanager
def cuda_profiler(output_file: str, output_mode: str | None = None, config: list[str] | None = None) -> Iterator[Any]:
    """Time the CUDA kernels that run inside, and write them to a file.

    Args:
        output_file: the file.
        output_mode: "csv" for a line per kernel, "kvp" for its fields as key=value (the default).
        config: switches of the tool that Fluid called; the fields here are always name, calls and microseconds.

    Yields:
        The profile of torch.
    """
    mode = "kvp" if output_mode is None else output_mode
    if mode not in ("kvp", "csv"):
        raise ArgumentError(f"cuda_profiler: output_mode must be 'kvp' or 'csv', got {output_mode!r}")
    if not torch.cuda.is_available():
        raise EnforceNotMet("cuda_profiler: there is no CUDA device; use fluid.profiler.profiler('CPU')")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        yield profile
    Path(output_file).write_text(report.kernels(profile.key_averages(), mode))


def _check_key(sorted_key: str | None) -> None:
    if sorted_key not in report.ORDERS:
        known = ", ".join(repr(key) for key in report.ORDERS)
        raise ArgumentError(f"stop_profiler: sorted_key must be one of {known}, got {sorted_key!r}")
