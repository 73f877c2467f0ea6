"""get_places: the devices of this machine."""

from __future__ import annotations

import os
from typing import Any

import torch

from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace, CUDAPlace, Place
from refluid.ops.registry import op


@op("Out", lod=None, nograd="*")
def get_places(*, device_count: int = 0, device_type: str = "AUTO") -> list[Place]:
    """Out is a list of device_count places: "CPU", "CUDA", or "AUTO" for CUDA where there is any.

    Zero is as many as there are: processors, or CUDA devices.
    """
    if device_type not in ("AUTO", "CPU", "CUDA"):
        raise ArgumentError(f"device_type must be 'AUTO', 'CPU' or 'CUDA', got {device_type!r}")
    cuda_devices = torch.cuda.device_count()
    if device_type == "CPU" or (device_type != "CUDA" and not cuda_devices):
        return [CPUPlace()] * (device_count or os.cpu_count() or 1)
    if device_count > cuda_devices or not cuda_devices:
        raise ArgumentError(f"there are {cuda_devices} CUDA devices on this machine, asked for {device_count or 'any'}")
    places: list[Place] = [CUDAPlace(i) for i in range(device_count or cuda_devices)]
    return places


@get_places.infer
def get_places_shape(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None]  # no tensor
