"""paddle.distributed.launch: one process of a program per device."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from refluid.distributed.launch.arguments import LaunchError, check_script, parse, print_banner
from refluid.distributed.launch.cluster import Cluster, settle
from refluid.distributed.launch.supervise import Task, base_environment, run


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    args = parse(argv)
    try:
        return launch(args)
    except LaunchError as error:
        sys.stderr.write(f"launch: {error}\n")
        return 2


def launch(args: argparse.Namespace) -> int:
    """Start the processes of this node and wait for them."""
    check_script(args.training_script)
    if args.max_restarts < 0:
        raise LaunchError(f"--max_restarts must be 0 at least, got {args.max_restarts}")
    cluster = settle(args)
    if args.print_config:
        print_banner(args)
        print(cluster, flush=True)
    return run([_task(args, cluster, i) for i in range(len(cluster.devices))], args.max_restarts)


def _task(args: argparse.Namespace, cluster: Cluster, number: int) -> Task:
    rank = cluster.first_rank + number
    environment = {
        **base_environment(len(cluster.devices)),
        "FLAGS_selected_gpus": cluster.devices[number],
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_CURRENT_ENDPOINT": cluster.endpoints[rank],
        "PADDLE_TRAINERS_NUM": str(len(cluster.endpoints)),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(cluster.endpoints),
        "PADDLE_TRAINING_ROLE": "TRAINER",
        "PADDLE_NUM_TRAINERS": str(len(cluster.endpoints)),
        "POD_IP": cluster.node_ip,
    }
    command = [sys.executable, "-u", args.training_script, *args.training_script_args]
    log = os.path.join(args.log_dir, f"workerlog.{number}") if args.log_dir else None
    return Task(str(rank), command, environment, log, place=cluster.endpoints[rank])
