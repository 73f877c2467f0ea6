"""The operators of programs that train with parameter servers: slots and attributes. emit.py says how they run."""

from __future__ import annotations

from typing import Any

from refluid.ir.block import Block
from refluid.ops.registry import Tensor, op
from refluid.ops.signature import Long

# ruff: noqa: B006  # lists as defaults are never changed


@op("Out", nograd="*", lod=None, side_effect=True, duplicable="Out")
def send(
    X: list[Tensor] | None = None,
    *,
    trainer_id: int = 0,
    epmap: list[str] = ["127.0.0.1:6164"],
    sections: list[Long] = [],
    send_varnames: list[str] = [],
    num: int = 0,
    merge_add: bool = False,
    use_send_handler: bool = True,
) -> list[Tensor]:
    """Add X to the exchange of this step: X[i] goes to the server epmap[i].

    With send_varnames, X is split along its first axis into sections; these are the pieces' names.
    """
    raise NotImplementedError("send runs as part of a program")


@op("Out", nograd="*", lod=None, side_effect=True, duplicable="Out")
def send_barrier(
    X: list[Tensor] | None = None,
    *,
    trainer_id: int = 0,
    endpoints: list[str] = ["127.0.0.1:6164"],
    half_async: bool = False,
) -> list[Tensor]:
    """Exchange: send the gradients of this step, wait until the round is over, receive the parameters."""
    raise NotImplementedError("send_barrier runs as part of a program")


@op("Out", nograd="*", lod=None, side_effect=True, duplicable="Out")
def recv(
    X: list[Tensor] | None = None,
    *,
    epmap: list[str] = [],
    trainer_id: int = 0,
    with_barrier: bool = True,
    varnames: list[str] = [],
    recv_varnames: list[str] = [],
    do_not_run: int = 0,
) -> list[Tensor]:
    """Out are the servers' variables of these names (or `varnames`), Out[i] of the server epmap[i].

    With recv_varnames, Out is the pieces of these names, concatenated along the first axis.
    """
    raise NotImplementedError("recv runs as part of a program")


@op("Out", nograd="*", lod=None, side_effect=True, duplicable="Out")
def fetch_barrier(
    X: list[Tensor] | None = None, *, trainer_id: int = 0, endpoints: list[str] = ["127.0.0.1:6164"]
) -> list[Tensor]:
    """The end of a step. Out are the variables that were received before it, as they are."""
    raise NotImplementedError("fetch_barrier runs as part of a program")


@op("", nograd="*", side_effect=True)
def listen_and_serv(
    X: list[Tensor] | None = None,
    *,
    endpoint: str = "127.0.0.1:6164",
    pserver_id: int = -1,
    grad_to_block_id: list[str] = [],
    distributed_mode: int = 0,
    dc_asgd: bool = False,
    optimize_blocks: list[Block],
    prefetch_var_name_to_block_id: list[str] = [],
    sparse_grad_to_param: list[str] = [],
    Fanin: int = 1,
    checkpint_block_id: int = -1,
    lr_decay_block_id: int = -1,
    rpc_get_thread_num: int = 1,
    rpc_send_thread_num: int = 1,
    rpc_prefetch_thread_num: int = 1,
) -> None:
    """Be a server for `Fanin` trainers until all of them have left; optimize_blocks run at the end of every round."""
    raise NotImplementedError("listen_and_serv runs as part of a program")


@send.infer
@send_barrier.infer
@recv.infer
@fetch_barrier.infer
def _as_declared(inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
    return [None]
