"""What Fluid's compiled part does for the process: threads, commands, levels of logging (paddle.fluid.core)."""

from __future__ import annotations

import os
import subprocess
import time

import torch

from refluid.core.errors import ArgumentError


def set_num_threads(count: int) -> None:
    """Let kernels use this many threads."""
    torch.set_num_threads(count)


def run_cmd(cmd: str, time_out: int = -1, sleep_inter: int = -1) -> str:
    """What a shell command prints. With `time_out`, in milliseconds, it is tried until it succeeds or time is up."""
    end = time.monotonic() + time_out / 1000
    while True:
        done = subprocess.run(cmd, shell=True, capture_output=True, text=True)
        if done.returncode == 0 or time_out <= 0 or time.monotonic() >= end:
            return done.stdout
        time.sleep(max(sleep_inter, 0) / 1000)


def _dygraph_debug_level() -> int:
    """How much Fluid's imperative mode was to log: the environment variable GLOG_v."""
    return int(os.environ.get("GLOG_v") or 0)


def _is_dygraph_debug_enabled() -> bool:
    return _dygraph_debug_level() > 0


def is_compiled_with_mkldnn() -> bool:
    """Whether kernels of oneDNN, once MKL-DNN, are there."""
    return torch.backends.mkldnn.is_available()


def is_compiled_with_brpc() -> bool:
    """Whether processes would talk through brpc: they do not."""
    return False


def is_compiled_with_dist() -> bool:
    """Whether several processes can work together."""
    return True


def _is_program_version_supported(version: int) -> bool:
    """Whether programs that a release saved can be read: those of all releases can, later ones as far as known."""
    if version < 0:
        raise ArgumentError(f"_is_program_version_supported: a version is not negative, got {version}")
    return True
