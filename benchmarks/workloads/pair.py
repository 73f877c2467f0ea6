"""Two processes that step together, one thread each: this one is rank 0 and is timed, the other it starts itself."""

import atexit
import os
import socket
import subprocess
import sys

import torch

FOLLOW = """
import sys, torch
torch.set_num_threads(1)
import importlib
step = getattr(importlib.import_module("workloads." + sys.argv[1]), sys.argv[2])()
while True:
    step()
"""


def join(module, function):
    """Set this process's environment for rank 0 and start rank 1, unless this is rank 1 already.

    Call it before anything meets the other rank. Rank 1 is killed when this process ends.
    """
    torch.set_num_threads(1)
    if "PADDLE_TRAINER_ID" in os.environ:
        return
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        ports = [first.getsockname()[1], second.getsockname()[1]]
    endpoints = [f"127.0.0.1:{port}" for port in ports]
    common = {
        "PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints), "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(ports[0]), "OMP_NUM_THREADS": "1",
        "TORCH_CPP_LOG_LEVEL": "ERROR",
    }  # fmt: skip
    ranks = [{"PADDLE_TRAINER_ID": str(r), "PADDLE_CURRENT_ENDPOINT": endpoints[r], "RANK": str(r)} for r in (0, 1)]
    follower = subprocess.Popen(
        [sys.executable, "-c", FOLLOW, module.split(".")[-1], function],
        env={**os.environ, **common, **ranks[1]}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.environ.update({**common, **ranks[0]})

    def end():
        follower.kill()
        follower.wait()

    atexit.register(end)
