"""FLAGS_*: switches set from the environment, `fluid.set_flags` or `core.globals()`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from refluid.core.errors import NotFoundError

_DEFAULTS: dict[str, Any] = {
    "FLAGS_check_nan_inf": False,
    "FLAGS_refluid_compile": False,
    "FLAGS_refluid_keep_memory": True,
    "FLAGS_refluid_native": True,
    "FLAGS_refluid_strict_place": False,
    "FLAGS_selected_gpus": "",
    "FLAGS_sort_sum_gradient": False,
    # Knobs of Fluid's allocator, profiler and GPU libraries: programs set them; torch has its own in their place.
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_benchmark": False,
    "FLAGS_conv_workspace_size_limit": 512,
    "FLAGS_cpu_deterministic": False,
    "FLAGS_cudnn_deterministic": False,
    "FLAGS_cudnn_exhaustive_search": False,
    "FLAGS_cudnn_batchnorm_spatial_persistent": False,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_enable_parallel_graph": False,
    "FLAGS_enable_rpc_profiler": False,
    "FLAGS_fast_eager_deletion_mode": True,
    "FLAGS_fraction_of_cpu_memory_to_use": 1.0,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_free_idle_chunk": False,
    "FLAGS_free_when_no_cache_hit": False,
    "FLAGS_fuse_parameter_groups_size": 1,
    "FLAGS_fuse_parameter_memory_size": -1.0,
    "FLAGS_init_allocated_mem": False,
    "FLAGS_initial_cpu_memory_in_mb": 500,
    "FLAGS_inner_op_parallelism": 0,
    "FLAGS_limit_of_tmp_allocation": -1,
    "FLAGS_max_inplace_grad_add": 0,
    "FLAGS_memory_fraction_of_eager_deletion": 1.0,
    "FLAGS_multiple_of_cupti_buffer_size": 1,
    "FLAGS_paddle_num_threads": 1,
    "FLAGS_pe_profile_fname": "",
    "FLAGS_print_sub_graph_dir": "",
    "FLAGS_reader_queue_speed_test_mode": False,
    "FLAGS_sync_nccl_allreduce": True,
    "FLAGS_tracer_profile_fname": "xxgperf",
    "FLAGS_use_mkldnn": False,
    "FLAGS_use_ngraph": False,
    "FLAGS_use_pinned_memory": True,
    "FLAGS_use_system_allocator": False,
}


def _parse(text: str, like: Any) -> Any:
    if isinstance(like, bool):
        return text.strip().lower() in ("1", "true", "yes", "on")
    return type(like)(text)


class Flags(MutableMapping):
    """The flags as a mapping; only known names exist."""

    def __init__(self) -> None:
        self._values = {name: _parse(os.environ[name], v) if name in os.environ else v for name, v in _DEFAULTS.items()}

    def __getitem__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise NotFoundError(f"flag {name!r} does not exist") from None

    def __setitem__(self, name: str, value: object) -> None:
        old = self[name]
        self._values[name] = _parse(value, old) if isinstance(value, str) else type(old)(value)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def get(self, name: str, default: object = None) -> Any:
        return self._values.get(name, default)

    def __delitem__(self, name: str) -> None:
        raise NotFoundError(f"flag {name!r} cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def is_public(self, name: str) -> bool:
        """Whether programs may set a flag: all that there are."""
        return name in self._values


FLAGS = Flags()


def get(name: str) -> Any:
    return FLAGS[name]


def set_flags(flags: dict[str, Any]) -> None:
    """Set flags.

    Args:
        flags: {name: value}; names begin with FLAGS_.

    Returns:
        None.
    """
    for name, value in flags.items():
        FLAGS[name] = value


def get_flags(flags: str | Iterable[str]) -> dict[str, Any]:
    """Read flags.

    Args:
        flags: a name or a list of names.

    Returns:
        {name: value}.
    """
    return {name: FLAGS[name] for name in ([flags] if isinstance(flags, str) else flags)}


def all_flags() -> Flags:
    """The flags themselves; what `core.globals()` gives."""
    return FLAGS


def _set_eager_deletion_mode(threshold: float, fraction: float, fast_mode: bool) -> None:
    """Set the three flags about freeing variables early; plans free each after its last use whatever they say."""
    FLAGS["FLAGS_eager_delete_tensor_gb"] = threshold
    FLAGS["FLAGS_memory_fraction_of_eager_deletion"] = fraction
    FLAGS["FLAGS_fast_eager_deletion_mode"] = fast_mode


def _set_fuse_parameter_group_size(size: int) -> None:
    FLAGS["FLAGS_fuse_parameter_groups_size"] = size


def _set_fuse_parameter_memory_size(size: float) -> None:
    FLAGS["FLAGS_fuse_parameter_memory_size"] = size


def init_gflags(arguments: list[str]) -> bool:
    """Set flags from arguments like '--benchmark=true'; others are left alone."""
    for argument in arguments:
        name, equals, value = argument.lstrip("-").partition("=")
        name = name if name.startswith("FLAGS_") else f"FLAGS_{name}"
        if equals and name in FLAGS:
            FLAGS[name] = value
    return True
