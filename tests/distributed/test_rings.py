"""Rings: ranks meet, exchange tensors, and miss one another when one is gone."""

import os
import re
import signal
import sys

import pytest

from refluid.core.errors import EnforceNotMet
from refluid.distributed import ring as rings
from refluid.distributed.environment import ParallelEnv, check_endpoints
from refluid.distributed.store import listen
from refluid.distributed.world import join_from_environment
from tests.distributed.ranks import ended, free_ports, of_rank, run, run_ranks, started

JOIN = """
import os, signal, sys, time, torch
from refluid.distributed.world import join_from_environment
from refluid.distributed.ring import Ring
world = join_from_environment("test")
ring = Ring(world)
value = torch.ones(5)
"""


def test_ranks_exchange_tensors(tmp_path):
    found = run(
        tmp_path,
        JOIN
        + """
mine = torch.arange(4.0) * (ring.rank + 1)
total = mine.clone()
ring.all_reduce(total).wait()
most = mine.clone()
ring.all_reduce(most, "max").wait()
first = mine.clone()
ring.broadcast(first, 2).wait()
parts = [torch.empty(4) for _ in range(3)]
ring.all_gather(mine, parts).wait()
piece = torch.empty(1)
ring.reduce_scatter([mine[i : i + 1].clone() for i in range(3)], piece).wait()
rows = ring.all_gather_rows(torch.full((ring.rank, 2), float(ring.rank)))
print(total.tolist(), most.tolist(), first.tolist(), torch.stack(parts)[:, 1].tolist())
print(piece.tolist(), [r.tolist() for r in rows], ring.all_gather_text("é" * ring.rank))
half = Ring(world, 1, [0, 2]) if world.rank != 1 else None
if half:
    pair = torch.ones(1)
    half.all_reduce(pair).wait()
    print(pair.tolist())
""",
        3,
    )
    for rank, one in enumerate(found):
        lines = one.lines()
        assert lines[0] == ("[0.0, 6.0, 12.0, 18.0] [0.0, 3.0, 6.0, 9.0] [0.0, 3.0, 6.0, 9.0] [1.0, 2.0, 3.0]")
        assert lines[1] == f"[{6.0 * rank}] [[], [[1.0, 1.0]], [[2.0, 2.0], [2.0, 2.0]]] ['', 'é', 'éé']"
        assert lines[2:] == ([] if rank == 1 else ["[2.0]"])


def test_sockets_listen_at_the_endpoints_address_alone(tmp_path):
    found = run(
        tmp_path,
        JOIN
        + """
import glob
links = [os.readlink(f) for f in glob.glob("/proc/self/fd/*") if os.path.islink(f)]
inodes = {link[8:-1] for link in links if "socket:" in link}
for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
    for line in open(table).read().splitlines()[1:]:
        local, state, inode = (line.split()[i] for i in (1, 3, 9))
        if state == "0A" and inode in inodes:
            print(local.split(":")[0])
""",
    )
    for one in found:
        assert set(one.lines()) <= {"0100007F"}  # 127.0.0.1
    assert len(found[0].lines()) == 2  # the store and Gloo


@pytest.mark.parametrize(
    ("fault", "culprit", "says"),
    [
        ("raise ValueError('no such thing')", 1, "has failed: ValueError: no such thing"),
        ("os.kill(os.getpid(), signal.SIGKILL)", 0, "rank 0 at 127.0.0.1:"),
        ("sys.exit(0)", 0, "has ended after exchange 3, all_reduce of float32 5 on ring 0; all ranks need the same"),
        (
            "ring.broadcast(value).wait()",
            1,
            "does something else at the same step, comparison before broadcast from 0 of float32 5 on ring 0",
        ),
        (
            "ring.all_reduce(torch.ones(700)).wait()",
            0,
            "does something else at the same step, comparison before all_reduce of float32 700 on ring 0",
        ),
    ],
    ids=["raises", "is killed", "ends early", "does something else", "has another size"],
)
def test_a_rank_that_goes_astray_is_named_by_the_others(tmp_path, fault, culprit, says):
    found = run_ranks(
        tmp_path,
        JOIN
        + f"""
for i in range(1000):
    if i == 3 and world.rank == {culprit}:
        {fault}
    ring.all_reduce(value).wait()
""",
    )
    other = found[1 - culprit]
    assert other.code == 1
    assert says in other.err
    assert f"rank {1 - culprit}: rank {culprit} at 127.0.0.1:" in other.err
    assert "This rank was waiting in exchange 4, all_reduce of float32 5 on ring 0." in other.err


def test_exchanges_that_do_not_belong_together_are_told_before_they_meet(tmp_path):
    found = run_ranks(tmp_path, JOIN + "ring.barrier()\nring.all_reduce(torch.ones(5 + world.rank)).wait()\n")
    says = (
        r"ranks do different things at the same step: rank 0 at 127.0.0.1:\d+ all_reduce of float32 5 on ring 0, "
        r"rank 1 at 127.0.0.1:\d+ all_reduce of float32 6 on ring 0"
    )
    assert all(one.code == 1 and re.search(says, one.err) for one in found), found


@pytest.mark.parametrize("culprit", [0, 1])
def test_a_rank_that_stops_answering_is_named(tmp_path, culprit):
    script = tmp_path / "script.py"
    script.write_text(
        JOIN
        + f"""
ring.all_reduce(value).wait()
if world.rank == {culprit}:
    os.kill(os.getpid(), signal.SIGSTOP)
ring.all_reduce(value).wait()
"""
    )
    ports = free_ports(2)
    environments = [of_rank(rank, ports, REFLUID_RANK_LEASE="6") for rank in range(2)]
    with started([[sys.executable, str(script)]] * 2, environments, tmp_path) as processes:
        (other,) = ended([processes[1 - culprit]])
        assert processes[culprit].poll() is None
        os.kill(processes[culprit].pid, signal.SIGKILL)
    assert other.code == 1
    assert f"rank {1 - culprit}: rank {culprit} at 127.0.0.1:{ports[culprit]} has not answered for 6 s" in other.err


def test_one_may_compute_for_long_while_another_waits(tmp_path):
    found = run(tmp_path, JOIN + "time.sleep(9 * world.rank)\nring.all_reduce(value).wait()\n", REFLUID_RANK_LEASE="6")
    assert [one.code for one in found] == [0, 0]


def test_a_rank_that_does_not_come_is_named(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(JOIN)
    ports = free_ports(2)
    for rank, says in (
        (0, f"rank 0: rank 1 at 127.0.0.1:{ports[1]} did not come within 1 s"),
        (1, f"rank 0 at 127.0.0.1:{ports[0]} was not there within 1 s; was it started?"),
    ):
        env = of_rank(rank, ports, FLAGS_rpc_deadline="1000")
        with started([[sys.executable, str(script)]], [env], tmp_path) as processes:
            (one,) = ended(processes)
        assert one.code == 1 and says in one.err


def test_a_port_in_use_is_told():
    (port,) = free_ports(1)
    taken = listen("127.0.0.1", port)
    with taken, pytest.raises(EnforceNotMet, match=f"127.0.0.1:{port}: this process cannot listen there"):
        listen("127.0.0.1", port)


def test_a_ring_that_nobody_made_is_told():
    with pytest.raises(EnforceNotMet, match="ring 77 does not exist in this process"):
        rings.get(77)


# -- the environment ------------------------------------------------------------------------------------------------


def test_bad_environments_are_told(monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with pytest.raises(EnforceNotMet, match="PADDLE_TRAINER_ENDPOINTS lists 0: none"):
        join_from_environment("test")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "2")
    with pytest.raises(EnforceNotMet, match="trainer id must be from 0 to 1, as 2 train, got 2"):
        join_from_environment("test")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "one")
    with pytest.raises(EnforceNotMet, match="PADDLE_TRAINER_ID must be a number, got 'one'"):
        ParallelEnv()


@pytest.mark.parametrize(
    ("endpoints", "rank", "current", "says"),
    [
        (["a:1", "b:2"], 2, "", "trainer id must be from 0 to 1"),
        (["a:1", "b"], 0, "", "an endpoint is host:port, got 'b'"),
        (["a:1", "a:1"], 0, "", "got a:1 twice"),
        (["a:1", "b:2"], 0, "c:3", "listens at c:3, which is not among a:1, b:2"),
        (["a:1", "b:2"], 0, "b:2", "trainer 0 listens at a:1, but this process"),
    ],
)
def test_bad_endpoints_are_told(endpoints, rank, current, says):
    with pytest.raises(EnforceNotMet, match=says):
        check_endpoints("test", endpoints, rank, current)


@pytest.mark.parametrize(
    ("variables", "count"),
    [
        ({}, 1),
        ({"PADDLE_TRAINERS_NUM": "4"}, 4),
        ({"PADDLE_TRAINER_ENDPOINTS": "a:1,b:2,c:3"}, 3),
        ({"PADDLE_NUM_TRAINERS": "2"}, 2),
        ({"PADDLE_TRAINERS": "2"}, 2),
        ({"PADDLE_TRAINERS": "10.0.0.1,10.0.0.2"}, 1),
    ],
)
def test_the_number_of_trainers_has_many_names(monkeypatch, variables, count):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ParallelEnv().nranks == count
