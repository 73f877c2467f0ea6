"""The other processes of a job on loopback, started by the one that is timed and killed when it ends."""

import atexit
import os
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def one_thread():
    """For this process and those it starts. Call it before anything that computes is imported."""
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", CPU_NUM="1", GLOG_v="0")


def free_endpoints(count):
    sockets = [socket.socket() for _ in range(count)]
    for listener in sockets:
        listener.bind(("127.0.0.1", 0))
    endpoints = ["127.0.0.1:" + str(listener.getsockname()[1]) for listener in sockets]
    for listener in sockets:
        listener.close()
    return endpoints


def start(file, *words, **settings):
    """Another process of this Python that runs a file of workloads/; it is killed when this process ends."""
    command = [sys.executable, "-W", "ignore", str(HERE / file)] + [str(word) for word in words]
    environment = dict(os.environ, **settings)
    started = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True
    )
    atexit.register(end, started)
    return started


def end(process):
    process.kill()
    process.communicate()


def wait_for(beginning, process):
    """Read its output until a line begins so."""
    for line in process.stdout:
        if line.startswith(beginning):
            return
    raise RuntimeError("a process ended before it said " + beginning)
