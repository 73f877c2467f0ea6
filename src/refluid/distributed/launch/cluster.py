"""Nodes, devices and endpoints of a job."""

from __future__ import annotations

import argparse
import os
import socket
from contextlib import ExitStack
from dataclasses import dataclass

from refluid.distributed.launch.arguments import FIRST_PORT, LaunchError


@dataclass
class Cluster:
    """All processes of a job; `devices` are those of this node, as its processes see them."""

    node_ips: list[str]
    node_ip: str
    devices: list[str]
    endpoints: list[str]

    @property
    def node_id(self) -> int:
        return self.node_ips.index(self.node_ip)

    @property
    def first_rank(self) -> int:
        return self.node_id * len(self.devices)

    def __str__(self) -> str:
        return (
            f"trainers_endpoints: {','.join(self.endpoints)} , node_id: {self.node_id} , "
            f"current_node_ip: {self.node_ip} , num_nodes: {len(self.node_ips)} , node_ips: {self.node_ips} , "
            f"nranks: {len(self.endpoints)}"
        )


def settle(args: argparse.Namespace) -> Cluster:
    """What the arguments and the environment mean; fills in the arguments that the banner shows."""
    if args.use_paddlecloud:
        _from_cloud(args)
    node_ips = [ip.strip() for ip in args.cluster_node_ips.split(",")]
    if args.node_ip not in node_ips:
        raise LaunchError(f"--node_ip {args.node_ip} is not among --cluster_node_ips {args.cluster_node_ips}")
    if len(set(node_ips)) != len(node_ips):
        raise LaunchError(f"--cluster_node_ips {args.cluster_node_ips} lists a node twice")
    devices = chosen_devices(args)
    args.started_port = _first_port(args, node_ips, len(devices))
    endpoints = [f"{ip}:{args.started_port + i}" for ip in node_ips for i in range(len(devices))]
    return Cluster(node_ips, args.node_ip, devices, endpoints)


def _from_cloud(args: argparse.Namespace) -> None:
    args.cluster_node_ips = os.environ.get("PADDLE_TRAINERS") or args.cluster_node_ips
    args.node_ip = os.environ.get("POD_IP") or args.node_ip
    port = os.environ.get("PADDLE_PORT", "")
    if args.started_port is None and port.isdigit():
        args.started_port = int(port)


def chosen_devices(args: argparse.Namespace) -> list[str]:
    """The devices of this node, one per process; `args.selected_gpus` becomes what the banner shows of them."""
    visible = [one.strip() for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one.strip()]
    if args.gpus is not None and args.selected_gpus is None:
        if args.gpus < 1:
            raise LaunchError(f"--gpus must be 1 at least, got {args.gpus}")
        args.selected_gpus = ",".join(visible[: args.gpus] if len(visible) >= args.gpus else map(str, range(args.gpus)))
    if args.selected_gpus is None:
        args.selected_gpus = ",".join(visible) or ",".join(map(str, range(max(_cuda_devices(), 1))))
    chosen = [one.strip() for one in args.selected_gpus.split(",")]
    if not all(one.isdigit() for one in chosen) or len(set(chosen)) != len(chosen):
        raise LaunchError(f"--selected_gpus must list devices, each once, as in 0,1; got {args.selected_gpus!r}")
    if not visible or not set(chosen) <= set(visible):
        if visible and _cuda_devices():
            raise LaunchError(
                f"--selected_gpus {args.selected_gpus} is not in CUDA_VISIBLE_DEVICES={','.join(visible)}"
            )
        return chosen
    return [str(visible.index(one)) for one in chosen]  # a process counts the visible ones


def _cuda_devices() -> int:
    import torch  # importing torch takes a second, and most command lines name the devices

    return torch.cuda.device_count()


def _first_port(args: argparse.Namespace, node_ips: list[str], count: int) -> int:
    """The port asked for, else 6170; on a single node another one if that is taken."""
    if args.started_port is not None:
        if not 0 < args.started_port <= 65536 - count:
            raise LaunchError(f"--started_port {args.started_port} leaves no room for {count} ports")
        if args.node_ip == node_ips[0] and not is_free(args.node_ip, args.started_port):
            raise LaunchError(f"port {args.started_port} of {args.node_ip} is in use")
        _claim(args.node_ip, range(args.started_port, args.started_port + count))
        return args.started_port
    if len(node_ips) > 1:
        return FIRST_PORT
    for port in range(FIRST_PORT, FIRST_PORT + 2000, count):
        ports = range(port, port + count)
        if all(is_free(args.node_ip, one) for one in ports) and _claim(args.node_ip, ports):
            return port
    raise LaunchError(f"{args.node_ip} has no {count} free ports from {FIRST_PORT} on")


_claims: set[str] = set()  # they are released when the process ends


def _claim(host: str, ports: range) -> bool:
    """Keep other launchers of this machine away from ports that ranks will bind in some seconds; False: one has them.

    A claim is the name of an abstract Unix socket, which only one process can bind.
    """
    claims: dict[str, socket.socket] = {}
    with ExitStack() as undone:
        for name in (f"\0refluid-launch-{host}:{port}" for port in ports):
            if name not in _claims:
                claims[name] = undone.enter_context(socket.socket(socket.AF_UNIX))
                try:
                    claims[name].bind(name)
                except OSError:
                    return False
        for name, claim in claims.items():
            claim.detach()  # from now on it is the system that closes it
            _claims.add(name)
    return True


def is_free(host: str, port: int) -> bool:
    """Whether a process of this machine can listen there; True for the address of another machine."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
    except socket.gaierror:
        return True
    except OSError as error:
        return error.errno != 98  # EADDRINUSE
    return True
