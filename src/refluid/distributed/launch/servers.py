"""paddle.distributed.launch_ps: parameter servers and workers of one machine."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from refluid.distributed.launch.arguments import (
    FIRST_PORT,
    LaunchError,
    add_nodes,
    add_script,
    check_script,
    print_banner,
    truth,
)
from refluid.distributed.launch.cluster import is_free
from refluid.distributed.launch.supervise import Task, base_environment, run

SHOWN = (
    "cluster_node_ips", "endpoints", "log_dir", "node_ip", "print_config", "server_num", "start_port",
    "training_script", "training_script_args", "worker_num",
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    args = parse(argv)
    try:
        return start(args)
    except LaunchError as error:
        sys.stderr.write(f"launch_ps: {error}\n")
        return 2


def start(args: argparse.Namespace) -> int:
    """Start servers and workers and wait for them; returns the exit code."""
    check_script(args.training_script)
    servers = _server_endpoints(args)
    _check_ports(args, servers)
    if args.print_config:
        print_banner(args, SHOWN)
    return run([*_servers(args, servers), *_workers(args, servers)])


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch_ps",
        description="Start servers and workers of a program. They learn who they are from TRAINING_ROLE (PSERVER or "
        "TRAINER), PADDLE_PSERVERS_IP_PORT_LIST, PADDLE_TRAINERS_NUM, PADDLE_TRAINER_ID, POD_IP and PADDLE_PORT.",
    )
    add_nodes(parser)
    parser.add_argument("--start_port", type=int, default=FIRST_PORT, help="port of the first server")
    parser.add_argument("--print_config", type=truth, default=True, help="print the banner")
    parser.add_argument("--endpoints", default="", help="of the servers, in place of ports from start_port on")
    parser.add_argument("--worker_num", type=int, default=2, help="number of workers")
    parser.add_argument("--server_num", type=int, default=2, help="number of servers")
    parser.add_argument("--log_dir", default="logs", help="write serverlog.N and workerlog.N there")
    add_script(parser)
    return parser.parse_args(argv)


def _server_endpoints(args: argparse.Namespace) -> list[str]:
    if min(args.server_num, args.worker_num) < 1:
        raise LaunchError(f"one server and one worker are needed, got {args.server_num} and {args.worker_num}")
    if not args.endpoints:
        return [f"{args.node_ip}:{args.start_port + i}" for i in range(args.server_num)]
    endpoints = args.endpoints.split(",")
    if len(endpoints) != args.server_num:
        raise LaunchError(f"--endpoints lists {len(endpoints)} servers, but --server_num is {args.server_num}")
    return endpoints


def _check_ports(args: argparse.Namespace, servers: list[str]) -> None:
    """Every endpoint has a port, and nobody listens where a server will."""
    for endpoint in servers:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            source = "--endpoints" if args.endpoints else "--start_port"
            raise LaunchError(f"{source}: expected host:port with a port from 1 to 65535, got {endpoint!r}")
    if len(set(servers)) != len(servers):
        raise LaunchError(f"--endpoints must list every server once, got {args.endpoints}")
    for endpoint in servers:
        host, _, port = endpoint.rpartition(":")
        if not is_free(host, int(port)):
            raise LaunchError(f"port {port} of {host} is in use")


def _common(args: argparse.Namespace, servers: list[str]) -> dict[str, str]:
    first = max(int(endpoint.rpartition(":")[2]) for endpoint in servers) + 1
    workers = [f"{args.node_ip}:{first + i}" for i in range(args.worker_num)]
    return {
        **base_environment(args.worker_num + args.server_num),
        "PADDLE_PSERVERS_IP_PORT_LIST": ",".join(servers),
        "PADDLE_TRAINERS_NUM": str(args.worker_num),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(workers),
    }


def _servers(args: argparse.Namespace, servers: list[str]) -> list[Task]:
    tasks = []
    for number, endpoint in enumerate(servers):
        host, _, port = endpoint.rpartition(":")
        own = {"TRAINING_ROLE": "PSERVER", "PADDLE_TRAINING_ROLE": "PSERVER", "PADDLE_PSERVER_ID": str(number),
               "POD_IP": host, "PADDLE_PORT": port}  # fmt: skip
        tasks.append(_task(args, "server", number, endpoint, {**_common(args, servers), **own}))
    return tasks


def _workers(args: argparse.Namespace, servers: list[str]) -> list[Task]:
    tasks = []
    for number in range(args.worker_num):
        own = {"TRAINING_ROLE": "TRAINER", "PADDLE_TRAINING_ROLE": "TRAINER", "PADDLE_TRAINER_ID": str(number)}
        tasks.append(_task(args, "worker", number, args.node_ip, {**_common(args, servers), **own}))
    return tasks


def _task(args: argparse.Namespace, kind: str, number: int, place: str, environment: dict[str, str]) -> Task:
    log = os.path.join(args.log_dir, f"{kind}log.{number}") if args.log_dir else None
    command = [sys.executable, "-u", args.training_script, *args.training_script_args]
    return Task(f"{kind} {number}", command, environment, log, kind == "server", place)
