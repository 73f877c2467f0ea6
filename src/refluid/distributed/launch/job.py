"""A job as paddle.distributed.utils describes it: nodes (pods), their trainers, and where each listens."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field
from typing import Any

from refluid.distributed.launch.arguments import FIRST_PORT, LaunchError
from refluid.distributed.launch.local import find_free_ports, logger


@dataclass
class Hdfs:
    """The file system of a job."""

    hdfs_ugi: str | None = None
    hdfs_name: str | None = None
    hdfs_path: str | None = None

    def is_valid(self) -> bool:
        return None not in (self.hdfs_ugi, self.hdfs_name, self.hdfs_path)


@dataclass
class JobServer:
    """The launcher of jobs."""

    endpoint: str | None = None


@dataclass
class Trainer:
    """One process of a job."""

    gpus: list[Any] = field(default_factory=list)
    endpoint: str | None = None
    rank: int | None = None


@dataclass
class Pod:
    """The processes of one node."""

    rank: int | None = None
    id: object = None
    addr: str | None = None
    port: int | None = None
    trainers: list[Trainer] = field(default_factory=list)
    gpus: list[Any] = field(default_factory=list, compare=False)

    def get_visible_gpus(self) -> str:
        """The devices of this node, as CUDA_VISIBLE_DEVICES lists them."""
        if not self.gpus:
            raise LaunchError(f"{self} has no devices")
        return ",".join(map(str, self.gpus))


class Cluster:
    """All nodes of a job."""

    def __init__(self, hdfs: Hdfs | None = None):
        self.job_server: JobServer | None = None
        self.pods: list[Pod] = []
        self.hdfs = hdfs
        self.job_stage_flag: object = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cluster) and (self.pods, self.job_stage_flag) == (other.pods, other.job_stage_flag)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __str__(self) -> str:
        return f"job_server: {self.job_server}, pods: {self.pods}, stage: {self.job_stage_flag}, hdfs: {self.hdfs}"

    def update_pods(self, cluster: Cluster) -> None:
        """Take the nodes of another cluster."""
        self.pods = list(cluster.pods)

    def trainers_endpoints(self) -> list[Any]:
        return [trainer.endpoint for pod in self.pods for trainer in pod.trainers]

    def trainers_nranks(self) -> int:
        return len(self.trainers_endpoints())

    def pods_nranks(self) -> int:
        return len(self.pods)

    def pods_endpoints(self) -> list[str]:
        if missing := [pod for pod in self.pods if pod.addr is None or pod.port is None]:
            raise LaunchError(f"{missing[0]} has no address and port")
        return [f"{pod.addr}:{pod.port}" for pod in self.pods]

    def get_pod_by_id(self, pod_id: object) -> Pod | None:
        return next((pod for pod in self.pods if str(pod.id) == str(pod_id)), None)


def get_cluster(
    node_ips: list[str], node_ip: str, trainer_endpoints: list[list[str]], selected_gpus: list[Any]
) -> tuple[Cluster, Pod]:
    """The cluster with a trainer per node and device, and the node `node_ip` of it.

    Args:
        trainer_endpoints: of every node, one per device at least.
    """
    if node_ip not in node_ips:
        raise LaunchError(f"node {node_ip} is not among {', '.join(node_ips)}")
    cluster = Cluster()
    for number, (ip, listed) in enumerate(zip(node_ips, trainer_endpoints, strict=True)):
        if len(listed) < len(selected_gpus):
            raise LaunchError(f"node {ip} has {len(listed)} endpoints for {len(selected_gpus)} devices")
        first = number * len(selected_gpus)
        pairs = zip(selected_gpus, listed[: len(selected_gpus)], strict=True)
        trainers = [Trainer([gpu], endpoint, first + i) for i, (gpu, endpoint) in enumerate(pairs)]
        cluster.pods.append(Pod(number, addr=ip, trainers=trainers))
    return cluster, cluster.pods[node_ips.index(node_ip)]


def get_cluster_from_args(args: argparse.Namespace, selected_gpus: list[Any]) -> tuple[Cluster, Pod]:
    """The cluster that the command line of launch describes."""
    node_ips = [ip.strip() for ip in args.cluster_node_ips.split(",")]
    if len(node_ips) == 1 and args.started_port is None and not args.use_paddlecloud:
        ports = sorted(find_free_ports(len(selected_gpus)))
    else:
        first = args.started_port or FIRST_PORT
        ports = list(range(first, first + len(selected_gpus)))
    return get_cluster(node_ips, args.node_ip, [[f"{ip}:{port}" for port in ports] for ip in node_ips], selected_gpus)


def get_cloud_cluster(
    args_node_ips: str, args_node_ip: str, args_port: int | None, selected_gpus: list[Any]
) -> tuple[Cluster, Pod]:
    """The cluster that the variables of PaddleCloud describe: PADDLE_TRAINERS, POD_IP, PADDLE_TRAINER_ID,
    TRAINER_PORTS_NUM, and DISTRIBUTED_TRAINER_ENDPOINTS or PADDLE_PORT."""
    names = ("PADDLE_TRAINERS", "POD_IP", "PADDLE_TRAINER_ID", "TRAINER_PORTS_NUM")
    if missing := [name for name in names if not os.environ.get(name)]:
        raise LaunchError(f"PaddleCloud sets {', '.join(names)}; there is no {', '.join(missing)}")
    listed, node_ip, rank, ports = (os.environ[name] for name in names)
    node_ips = listed.split(",")
    for told, cloud in ((args_node_ip, node_ip), (args_node_ips, listed)):
        if told not in ("127.0.0.1", cloud):
            logger.warning(f"PaddleCloud sets {cloud}, which overrides {told} of the command line")
    endpoints = _cloud_endpoints(node_ips, int(ports), args_port, len(selected_gpus))
    cluster, _ = get_cluster(node_ips, node_ip, endpoints, selected_gpus)
    return cluster, cluster.pods[int(rank)]


def _cloud_endpoints(node_ips: list[str], ports: int, port: int | None, count: int) -> list[list[str]]:
    if listed := os.environ.get("DISTRIBUTED_TRAINER_ENDPOINTS"):
        endpoints = listed.split(",")
        if len(endpoints) != len(node_ips) * ports:
            raise LaunchError(f"{len(node_ips)} nodes with {ports} ports each do not have {len(endpoints)} endpoints")
        return [endpoints[i * ports : (i + 1) * ports] for i in range(len(node_ips))]
    cloud = os.environ.get("PADDLE_PORT", "")
    if len(node_ips) > 1 and ports >= count and cloud.isdigit():
        port = int(cloud)
    first = port or FIRST_PORT
    return [[f"{ip}:{first + i}" for i in range(count)] for ip in node_ips]


def get_trainers_num() -> int:
    return int(os.environ.get("PADDLE_TRAINERS_NUM") or 1)
