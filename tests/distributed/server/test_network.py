"""Networks that are cut, slow, or reset connections: no update is lost or applied twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.distributed.nodes import ip, two_nodes
from tests.distributed.ranks import environment, started
from tests.distributed.server.jobs import ROOT, job, until, well_ended
from tests.distributed.server.proxy import Proxy
from tests.distributed.server.test_faults import SIZES, TRAINER, until_listening

STEPS = 400  # every step adds one to the parameters, or to be exact the mean over the trainers that arrived


def test_a_cut_of_five_seconds_delays_and_resets_change_nothing(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, 1, 2, STEPS=str(STEPS)) as made:
        server = made.start("server", 0)
        until_listening("127.0.0.1", int(made.endpoints[0].split(":")[1]))
        with Proxy(made.endpoints[0]) as proxy:
            trainers = [made.start("trainer", i, ENDPOINTS=proxy.endpoint) for i in range(2)]
            until(trainers[0], "3 ")
            proxy.cut = True
            time.sleep(5)
            proxy.cut = False
            for _ in range(10):
                proxy.reset()
                proxy.delay = 0.02
                time.sleep(0.1)
            proxy.delay = 0.0
            for found in well_ended(trainers):
                assert found.out.splitlines()[-1] == f"end [{STEPS}.0, {STEPS}.0]"
        (said,) = well_ended([server])
        assert f"all trainers have left after {STEPS} steps" in said.err and "died" not in said.err


def test_hosts_that_are_apart_for_five_seconds_go_on(tmp_path: Path) -> None:
    with two_nodes() as nodes, job(tmp_path, TRAINER, SIZES, -1.0, 1, 2) as made:
        (port,) = (endpoint.split(":")[1] for endpoint in made.endpoints)
        variables = {"ENDPOINTS": f"10.77.0.1:{port}", "TRAINERS": "2", "STEPS": str(STEPS)}

        def on(node: int, script: str, index: int) -> tuple[list[str], dict[str, str]]:
            env = environment(**variables, INDEX=str(index))
            env["PYTHONPATH"] += f":{ROOT}"
            return ["ip", "netns", "exec", nodes[node], sys.executable, "-W", "error", script], env

        wanted = [on(0, "server.py", 0), on(0, "trainer.py", 0), on(1, "trainer.py", 1)]
        with started([command for command, _ in wanted], [env for _, env in wanted], tmp_path) as processes:
            until(processes[2], "3 ")
            device = _device(nodes[1])
            ip("-n", nodes[1], "link", "set", device, "down")
            time.sleep(5)
            ip("-n", nodes[1], "link", "set", device, "up")
            server, *trainers = well_ended(processes)
        for found in trainers:
            assert found.out.splitlines()[-1] == f"end [{STEPS}.0, {STEPS}.0]"
        assert "died" not in server.err


def _device(node: str) -> str:
    listed = subprocess.run(["ip", "-n", node, "-o", "link"], check=True, capture_output=True, text=True).stdout
    return next(line.split(": ")[1].split("@")[0] for line in listed.splitlines() if "@" in line)
