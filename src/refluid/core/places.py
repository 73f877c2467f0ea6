"""Places, and their conversion to torch devices."""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from functools import cache, lru_cache

import torch

from refluid.core import flags
from refluid.core.callsite import called_function
from refluid.core.errors import ArgumentError


class Place:
    """A device on which tensors are kept and operators run."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.__dict__.items())))

    def __repr__(self) -> str:
        return type(self).__name__

    __str__ = __repr__

    def set_place(self, place: Place) -> None:
        """Become a place of another kind, of an empty `core.Place()`."""
        self.__class__ = type(place)
        self.__dict__.update(place.__dict__)

    def is_cpu_place(self) -> bool:
        return isinstance(self, CPUPlace)

    def is_gpu_place(self) -> bool:
        return isinstance(self, CUDAPlace)

    def is_cuda_pinned_place(self) -> bool:
        return isinstance(self, CUDAPinnedPlace)

    def gpu_device_id(self) -> int:
        """The number of the CUDA device; -1 of a place that is none."""
        return getattr(self, "id", -1)

    def _equals(self, other: Place) -> bool:
        return self == other


class CPUPlace(Place):
    """The CPU and its memory.

    Example:
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> fluid.CPUPlace() == fluid.CPUPlace()
        True
    """


class CUDAPinnedPlace(Place):
    """Host memory that a CUDA device can copy from without the CPU."""


class CUDAPlace(Place):
    """A CUDA device and its memory. Without such a device programs run on the CPU, with a warning.

    Args:
        id: the number of the device.

    Example:
        >>> place = fluid.CUDAPlace(0) if fluid.is_compiled_with_cuda() else fluid.CPUPlace()
        >>> exe = fluid.Executor(place)
        >>> fluid.CUDAPlace(1).get_device_id()
        1
    """

    def __init__(self, id: int = 0):
        if not isinstance(id, int) or isinstance(id, bool) or id < 0:
            raise ArgumentError(f"CUDAPlace: the device id must be an int of 0 or more, got {id!r}")
        self.id = id

    def get_device_id(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"CUDAPlace({self.id})"

    __str__ = __repr__


CPU = torch.device("cpu")


@cache
def _cuda_devices() -> int:
    return torch.cuda.device_count()


def device_of(place: Place | None) -> torch.device:
    """The torch device of a place. Without CUDA, CUDAPlace is the CPU, with a warning: tutorials run on laptops."""
    if place is None or isinstance(place, (CPUPlace, CUDAPinnedPlace)):
        return CPU
    if not isinstance(place, CUDAPlace):
        raise ArgumentError(f"{called_function()}: place must be CPUPlace, CUDAPlace or CUDAPinnedPlace, got {place!r}")
    if place.id < _cuda_devices():
        return torch.device("cuda", place.id)
    if flags.get("FLAGS_refluid_strict_place"):
        raise ArgumentError(f"{place}: this machine has {_cuda_devices()} CUDA devices")
    _warn_once(str(place))
    return CPU


def place_of(device: torch.device) -> Place:
    """The place that a tensor of this device is on."""
    return CUDAPlace(device.index or 0) if device.type == "cuda" else CPUPlace()


@lru_cache(maxsize=1)
def _warn_once(place: str) -> None:
    warnings.warn(f"{place}: there is no such CUDA device here, running on the CPU instead", stacklevel=4)


def is_compiled_with_cuda() -> bool:
    """Whether programs can run on a CUDA device.

    Returns:
        A bool.

    Example:
        >>> isinstance(fluid.is_compiled_with_cuda(), bool)
        True
    """
    return torch.cuda.is_available()


def get_cuda_device_count() -> int:
    """The number of CUDA devices.

    Returns:
        An int; 0 without CUDA.

    Example:
        >>> fluid.core.get_cuda_device_count() >= 0
        True
    """
    return torch.cuda.device_count()


def cpu_places(device_count: int | None = None) -> list[CPUPlace]:
    """CPU places for data parallelism.

    Args:
        device_count: the number of places; the environment variable CPU_NUM, else 1, if None.

    Returns:
        A list of CPUPlace.

    Example:
        >>> fluid.cpu_places(2)
        [CPUPlace, CPUPlace]
    """
    if device_count is None:
        device_count = _cpu_num()
    if not hasattr(type(device_count), "__index__"):
        raise ArgumentError(f"cpu_places: device_count must be an int, got {device_count!r:.60}")
    return [CPUPlace()] * device_count


def _cpu_num() -> int:
    """How many CPU places programs with data parallelism have; Fluid says on stderr if it is not told."""
    if "CPU_NUM" not in os.environ:
        if multiprocessing.cpu_count() > 1:
            print(
                "CPU_NUM is not set: a program with data parallelism runs on one CPU place, whose kernels use all "
                "cores. For N places, each with a part of the batch: export CPU_NUM=N",
                file=sys.stderr,
            )
        os.environ["CPU_NUM"] = "1"  # Fluid: programs that ask the environment afterwards find it
    try:
        return int(os.environ["CPU_NUM"])
    except ValueError:
        told = os.environ["CPU_NUM"]
        raise ArgumentError(f"the environment variable CPU_NUM must be a number of places, got {told!r:.60}") from None


def _cuda_ids() -> list[int]:
    """The CUDA devices that programs use."""
    return [place.id for place in cuda_places()]


def cuda_places(device_ids: int | list[int] | tuple[int, ...] | None = None) -> list[CUDAPlace]:
    """CUDA places for data parallelism.

    Args:
        device_ids: the numbers of the devices; if None FLAGS_selected_gpus, else all devices (one if there is none).

    Returns:
        A list of CUDAPlace.

    Example:
        >>> fluid.cuda_places([0, 1])
        [CUDAPlace(0), CUDAPlace(1)]
    """
    if device_ids is None:
        selected = os.environ.get("FLAGS_selected_gpus")
        ids = [int(s) for s in selected.split(",")] if selected else list(range(max(torch.cuda.device_count(), 1)))
    else:
        ids = [device_ids] if isinstance(device_ids, int) else list(device_ids)
    return [CUDAPlace(i) for i in ids]


def cuda_pinned_places(device_count: int | None = None) -> list[CUDAPinnedPlace]:
    """Places of host memory that CUDA devices copy from directly.

    Args:
        device_count: the number of places; the environment variable CPU_NUM, else 1, if None.

    Returns:
        A list of CUDAPinnedPlace.
    """
    return [CUDAPinnedPlace()] * len(cpu_places(device_count))
