"""The command line of launch, and the banner that it prints."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

# What the banner shows, as Fluid 1.5 does; what came later, or is ours, is not in it.
SHOWN = (
    "cluster_node_ips", "log_dir", "node_ip", "print_config", "selected_gpus", "started_port", "training_script",
    "training_script_args", "use_paddlecloud",
)  # fmt: skip
FIRST_PORT = 6170


class LaunchError(Exception):
    """A command line, or an environment, that no job can be started from."""


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch",
        description="Start one process of a training program per device and look after them. They learn who they are "
        "from PADDLE_TRAINER_ID, PADDLE_TRAINERS_NUM, PADDLE_CURRENT_ENDPOINT, PADDLE_TRAINER_ENDPOINTS and "
        "FLAGS_selected_gpus. Without CUDA a device is a process on the CPU with its share of the cores.",
    )
    add_nodes(parser)
    cloud = "take nodes and port from PADDLE_TRAINERS, POD_IP and PADDLE_PORT"
    parser.add_argument("--use_paddlecloud", action="store_true", help=cloud)
    parser.add_argument("--started_port", type=int, help=f"port of a node's first process ({FIRST_PORT})")
    parser.add_argument("--print_config", type=truth, default=True, help="print the banner")
    parser.add_argument("--selected_gpus", help="devices, as in 0,1,2,3; those of CUDA_VISIBLE_DEVICES if not given")
    parser.add_argument("--gpus", type=int, help="the number of devices (1.4, where --log_dir is ./mylog by default)")
    parser.add_argument("--log_level", type=int, default=20, help="taken for compatibility")
    parser.add_argument("--log_dir", help="write workerlog.N there instead of passing output on")
    parser.add_argument(
        "--max_restarts", type=int, default=0, help="how often to start the job again when it has failed"
    )
    add_script(parser)
    args = parser.parse_args(argv)
    if args.gpus is not None and args.log_dir is None:
        args.log_dir = "./mylog"
    return args


def add_nodes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cluster_node_ips", default="127.0.0.1", help="all nodes, separated by commas")
    parser.add_argument("--node_ip", default="127.0.0.1", help="this node")


def add_script(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("training_script", help="the program")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")


def truth(text: str) -> bool:
    return text.lower() not in ("0", "false", "no", "off", "")


def check_script(path: str) -> None:
    if not os.path.isfile(path):
        raise LaunchError(f"there is no file {path}")


def print_banner(args: argparse.Namespace, shown: Sequence[str] = SHOWN) -> None:
    print("-----------  Configuration Arguments -----------")
    for name in shown:
        print(f"{name}: {getattr(args, name)}")
    print("------------------------------------------------", flush=True)
