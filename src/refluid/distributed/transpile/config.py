"""The settings of DistributeTranspiler."""

from __future__ import annotations

import os
from typing import Any

from refluid.core.errors import ArgumentError


class DistributedMode:
    """How trainers and servers wait for one another."""

    SYNC = 0
    ASYNC = 1
    HALF_ASYNC = 2
    GEO = 3


class DistributeTranspilerConfig:
    """Settings of a DistributeTranspiler.

    Attributes:
        mode: "pserver" (servers hold the parameters), "nccl2" or "collective" (trainers sum gradients themselves).
        collective_mode: of "collective": "grad_allreduce", "local_sgd" or "single_process_multi_thread".
        slice_var_up: whether parameters are split into blocks.
        split_method: how blocks are assigned to servers: RoundRobin or HashName.
        min_block_size: the least number of elements of a block.
        sync_mode: servers wait for all trainers.
        wait_port: wait for the others before going on.
        nccl_comm_num: the number of rings.

    Example:
        >>> config = fluid.DistributeTranspilerConfig()
        >>> config.mode = "nccl2"
        >>> transpiler = fluid.DistributeTranspiler(config=config)
    """

    slice_var_up = True
    split_method: Any = None
    min_block_size = 8192
    enable_dc_asgd = False
    mode = "pserver"
    print_log = False
    wait_port = True
    half_async = False
    completely_not_async = False
    geo_sgd_mode = False
    geo_sgd_need_push_nums = 100
    nccl_comm_num = 1
    use_hierarchical_allreduce = False
    hierarchical_allreduce_inter_nranks = 0
    hierarchical_allreduce_exter_nranks = 0  # 1.5
    collective_mode: str | None = None
    _sync_mode = True
    _runtime_split_send_recv = False

    @property
    def sync_mode(self) -> bool:
        return self._sync_mode

    @sync_mode.setter
    def sync_mode(self, value: bool) -> None:
        if value is None or (value and self._runtime_split_send_recv):
            raise ArgumentError(f"sync_mode={value}: it is a bool, and True requires runtime_split_send_recv=False")
        self._sync_mode = value

    @property
    def runtime_split_send_recv(self) -> bool:
        return self._runtime_split_send_recv

    @runtime_split_send_recv.setter
    def runtime_split_send_recv(self, value: bool) -> None:
        if value is None or (value and self._sync_mode):
            raise ArgumentError(f"runtime_split_send_recv={value}: it is a bool, and True requires sync_mode=False")
        self._runtime_split_send_recv = value


class ServerRuntimeConfig:
    """How many threads a parameter server answers with."""

    def __init__(self) -> None:
        self._rpc_send_thread_num = int(os.getenv("FLAGS_rpc_send_thread_num", "12"))
        self._rpc_get_thread_num = int(os.getenv("FLAGS_rpc_get_thread_num", "12"))
        self._rpc_prefetch_thread_num = int(os.getenv("FLAGS_rpc_prefetch_thread_num", "12"))
