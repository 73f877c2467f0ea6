"""Embeddings that servers hold train on two servers and two trainers as in one process on the joined batch."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle.fluid as fluid
from tests.distributed.server import embeddings
from tests.distributed.server.embeddings import alone, minimized, train
from tests.distributed.server.jobs import Job, started_again, well_ended
from tests.distributed.server.threads import together

SCRIPT = "from tests.distributed.server.embeddings import by_environment\nby_environment({!r}, {!r})\n"
CASES = [(optimizer, False) for optimizer in ("sgd", "momentum", "adagrad", "adam", "lazy adam")]
CASES += [(optimizer, True) for optimizer in ("sgd", "adagrad", "lazy adam")]


def same(found: list[Any], expected: list[Any]) -> None:
    """The mean of the trainers' losses, and what each of them guesses afterwards."""
    np.testing.assert_allclose(np.mean([one[0] for one in found], axis=0), expected[0], rtol=1e-5)
    for one in found:
        np.testing.assert_allclose(one[1], expected[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("optimizer", "distributed"), CASES)
def test_rows_are_fetched_and_updated_as_one_process_does_it(optimizer, distributed):
    half = optimizer == "adagrad"  # the second server has no row of any batch
    found = together(
        lambda: minimized(optimizer, distributed),
        lambda role: train(role, slice(role.index * 4, role.index * 4 + 4), half),
    )
    same(found, alone(optimizer, distributed, half))


@pytest.mark.parametrize(("optimizer", "distributed"), [("adam", False), ("adagrad", True)])
def test_processes_train_as_one_does(tmp_path: Path, optimizer, distributed):
    script = SCRIPT.format(optimizer, distributed)
    job = Job(tmp_path, script, script, servers=2, trainers=2, more={})
    try:
        processes = [job.start(role, index, ROLE=role) for role in ("server", "trainer") for index in range(2)]
        found = [json.loads(one.out.splitlines()[-1]) for one in well_ended(processes)[2:]]
    finally:
        job.close()
    same(found, alone(optimizer, distributed))


def test_a_program_copied_before_transpile_looks_rows_up_at_servers():
    def network():
        made = embeddings.network(distributed=False)
        test = fluid.default_main_program().clone(for_test=True)
        fluid.optimizer.SGD(0.1).minimize(made[1])
        return test, made

    def work(role):
        test, (guess, _) = role.made
        whole = embeddings.batches(slice(0, 8), False)[0]
        ours = role.main.clone(for_test=True)
        feed = embeddings.feed_of(test, whole)
        return [role.run(one, feed=feed, fetch_list=[guess.name])[0] for one in (test, ours)]

    for before, after in together(network, work):
        np.testing.assert_array_equal(before, after)


def test_a_table_survives_its_servers(tmp_path: Path):
    """Both are killed, one after a record was written and one while it writes a snapshot, and started again."""
    script = SCRIPT.format("adagrad", True)
    state = {"REFLUID_PSERVER_STATE_DIR": str(tmp_path / "state"), "REFLUID_PSERVER_STATE_RECORDS": "8"}
    job = Job(tmp_path, script, script, servers=2, trainers=2, more=state)
    crashes = ["after_log:11", "inside_snapshot:12"]
    try:
        first = [job.start("server", i, ROLE="server", REFLUID_CRASH_AT=crashes[i]) for i in range(2)]
        trainers = [job.start("trainer", i, ROLE="trainer") for i in range(2)]
        with ThreadPoolExecutor(2) as pool:  # whichever is the first: the other may need it
            again = list(pool.map(lambda i: started_again(job, i, first[i], ROLE="server"), range(2)))
        ends = well_ended([*trainers, *again])
    finally:
        job.close()
    for server in ends[2:]:
        assert "goes on from its state folder" in server.err
    same([json.loads(one.out.splitlines()[-1]) for one in ends[:2]], alone("adagrad", True))
