"""A distributed table that is met row by row: how long it takes, and what memory its servers have in the end.

    python benchmarks/large_table.py --rows 10000000 --met 10000000 --ids 20000

Two servers, one trainer, Adagrad. Every step meets ids that no step has met before, so that `met` rows are made and
trained; `rows` is what the program declares. Prints a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import time

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers

WIDTH = 16


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows that the program declares")
    parser.add_argument("--met", type=int, default=10_000_000, help="rows that training meets")
    parser.add_argument("--ids", type=int, default=20_000, help="ids of a step")
    parser.add_argument("--role", default="", help=argparse.SUPPRESS)
    parser.add_argument("--endpoints", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def transpiled(options: argparse.Namespace) -> tuple[fluid.DistributeTranspiler, object]:
    ids = layers.data("ids", [1], dtype="int64")
    rows = layers.embedding(
        ids, [options.rows, WIDTH], is_sparse=True, is_distributed=True, param_attr=fluid.ParamAttr(name="table")
    )
    loss = layers.mean(layers.square(rows))
    fluid.optimizer.Adagrad(0.1).minimize(loss)
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(0, pservers=options.endpoints, trainers=1)
    return transpiler, loss


def be_a_server(options: argparse.Namespace) -> None:
    transpiler, _ = transpiled(options)
    main, startup = transpiler.get_pserver_programs(options.role)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    exe.run(main)
    after = resource.getrusage(resource.RUSAGE_SELF)
    rows = len(fluid.global_scope().find_var("table").get_selected_rows().rows())
    print(json.dumps({
        "rows": rows, "memory_before_mb": before >> 10, "memory_mb": after.ru_maxrss >> 10,
        "cpu_s": round(after.ru_utime + after.ru_stime, 1),
    }))  # fmt: skip


def train(options: argparse.Namespace) -> dict:
    transpiler, loss = transpiled(options)
    main = transpiler.get_trainer_program()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    steps, losses = -(-options.met // options.ids), []
    began = time.perf_counter()
    for step in range(steps):
        ids = np.arange(step * options.ids, min((step + 1) * options.ids, options.met), dtype="int64").reshape(-1, 1)
        losses.append(exe.run(main, feed={"ids": ids}, fetch_list=[loss])[0].item())
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    # Rows that were trained are nearer to zero than new ones.
    again = np.arange(options.ids, dtype="int64").reshape(-1, 1)
    trained = exe.run(main, feed={"ids": again}, fetch_list=[loss])[0].item()
    exe.close()
    return {
        "steps": steps, "seconds": round(seconds, 1), "rows_per_second": round(options.met / seconds),
        "trainer_memory_mb": memory, "loss_of_new_rows": losses[0], "loss_of_trained_rows": trained,
    }  # fmt: skip


def _endpoints() -> str:
    endpoints = []
    for _ in range(2):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            endpoints.append(f"127.0.0.1:{listener.getsockname()[1]}")
    return ",".join(endpoints)


def main() -> None:
    options = parsed()
    if options.role:
        be_a_server(options)
        return
    options.endpoints = _endpoints()
    command = [sys.executable, __file__, *sys.argv[1:], "--endpoints", options.endpoints, "--role"]
    servers = [
        subprocess.Popen([*command, one], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ)
        for one in options.endpoints.split(",")
    ]
    try:
        result = train(options)
        result["servers"] = [json.loads(server.communicate(timeout=60)[0].splitlines()[-1]) for server in servers]
    finally:
        for server in servers:
            server.kill()
            server.wait()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
