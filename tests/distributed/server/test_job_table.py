"""Optimizers, schedules, clipping, decay and ways to deal out parameters train on servers as in one process."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from tests.distributed.ranks import ended, environment, started
from tests.distributed.server.job_table import CASES
from tests.distributed.server.jobs import ROOT, free_ports


@pytest.fixture(scope="module")
def losses(tmp_path_factory) -> dict[str, dict[str, list[float]]]:
    """By case: those of the two trainers and of one process. Five processes run the whole table."""
    ports = free_ports(2 * len(CASES))
    pairs = json.dumps([ports[i : i + 2] for i in range(0, len(ports), 2)])
    roles = [("server", 0), ("server", 1), ("trainer", 0), ("trainer", 1), ("alone", 0)]
    environments = [environment(ROLE=role, INDEX=str(index), PORTS=pairs) for role, index in roles]
    for one in environments:
        one["PYTHONPATH"] += f":{ROOT}"
    commands = [[sys.executable, "-W", "error", "-m", "tests.distributed.server.job_table"]] * len(roles)
    with started(commands, environments, tmp_path_factory.mktemp("table")) as processes:
        found = ended(processes, 300)
    for (role, index), one in zip(roles, found, strict=True):
        assert one.code == 0, f"{role} {index} ended with {one.code}\n{one.out[-2000:]}\n{one.err[-4000:]}"
    return {
        f"{role} {index}": dict(map(json.loads, one.lines())) for (role, index), one in zip(roles, found, strict=True)
    }


@pytest.mark.parametrize("case", CASES)
def test_two_trainers_with_two_servers_compute_what_one_process_does(losses, case):
    together = np.mean([losses[f"trainer {index}"][case] for index in range(2)], axis=0)
    np.testing.assert_allclose(together, losses["alone 0"][case], rtol=1e-5)
    assert together[-1] != together[0]
