"""The processes of one node, started and monitored: paddle.distributed.utils, for launchers of users' own.

`launch` itself uses supervise.py, which does more.
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from refluid.distributed.launch.arguments import truth
from refluid.distributed.launch.supervise import GRACE, base_environment

if TYPE_CHECKING:
    from refluid.distributed.launch.job import Cluster, Pod

logger = logging.getLogger("refluid.launch")


def get_logger(log_level: int, name: str = "root") -> logging.Logger:
    """A logger that writes level, time and place to standard error."""
    logger = logging.getLogger(name)
    logger.setLevel(log_level)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(asctime)s %(filename)s:%(lineno)d] %(message)s"))
    logger.addHandler(handler)
    return logger


def add_arguments(argname: str, type: object, default: object, help: str, argparser: Any, **kwargs: object) -> None:
    """Add an option to a parser; a bool is written as 0 or 1, no or yes, false or true."""
    kind = truth if type is bool else type
    argparser.add_argument(
        f"--{argname}", default=default, type=kind, help=f"{help} Default: %(default)s.", **kwargs
    )  # fmt: skip


def get_host_name_ip() -> tuple[str, str] | None:
    """The name of this machine and its address; None if it has none."""
    try:
        name = socket.gethostname()
        return name, socket.gethostbyname(name)
    except OSError:
        return None


def find_free_ports(num: int) -> set[int]:
    """Free ports of the loopback."""
    with ExitStack() as held:  # all at once, so that they differ
        sockets = [held.enter_context(socket.socket()) for _ in range(num)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return {one.getsockname()[1] for one in sockets}


def get_gpus(selected_gpus: str | None) -> list[Any]:
    """The devices as a process counts them: among CUDA_VISIBLE_DEVICES if that is set."""
    from refluid.distributed.launch.cluster import chosen_devices

    args = argparse.Namespace(selected_gpus=selected_gpus, gpus=None)
    return chosen_devices(args)


@dataclass
class TrainerProc:
    """A process that was started."""

    proc: Any = None
    log_fn: IO[str] | None = None
    rank: int | None = None
    cmd: list[str] | None = None


def start_local_trainers(
    cluster: Cluster, pod: Pod, training_script: str, training_script_args: list[str], log_dir: str | None = None
) -> list[TrainerProc]:
    """Start the trainers of a node, each with its environment; output goes to `log_dir`/workerlog.N if given."""
    command = [sys.executable, "-u", training_script, *training_script_args]
    started = []
    for number, trainer in enumerate(pod.trainers):
        environment = {
            **base_environment(len(pod.trainers)),
            "FLAGS_selected_gpus": ",".join(map(str, trainer.gpus)),
            "PADDLE_TRAINER_ID": str(trainer.rank),
            "PADDLE_CURRENT_ENDPOINT": str(trainer.endpoint),
            "PADDLE_TRAINERS_NUM": str(cluster.trainers_nranks()),
            "PADDLE_TRAINER_ENDPOINTS": ",".join(cluster.trainers_endpoints()),
        }
        log: IO[str] | None = None
        if log_dir is not None:
            os.makedirs(log_dir, exist_ok=True)
            log = open(os.path.join(log_dir, f"workerlog.{number}"), "a")  # noqa: SIM115  # the process writes to it
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        started.append(TrainerProc(process, log, trainer.rank, command))
    return started


def watch_local_trainers(procs: list[TrainerProc], nranks: int) -> bool:
    """Whether any still runs; if one has failed, all are ended and this process exits with code 1."""
    try:
        codes = [one.proc.poll() for one in procs]
        failed = [one.rank for one, code in zip(procs, codes, strict=True) if code not in (None, 0)]
        if failed:
            logger.error(f"of {nranks} trainers those with rank {failed} have failed; their logs say why")
            sys.exit(1)
        return None in codes
    except (KeyboardInterrupt, SystemExit):
        terminate_local_procs(procs)
        raise


def terminate_local_procs(procs: list[TrainerProc]) -> None:
    """End all of them: by SIGTERM, then by SIGKILL."""
    for proc in procs:
        if proc.proc.poll() is None:
            proc.proc.terminate()
    deadline = time.monotonic() + GRACE
    for proc in procs:
        try:
            proc.proc.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            proc.proc.kill()
            proc.proc.wait()
        if proc.log_fn is not None:
            proc.log_fn.close()
