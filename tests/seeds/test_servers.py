"""The tutorial's program for parameter servers, started as the tutorial starts it, on one host and on four."""

import re
import sys
from pathlib import Path

from tests.distributed.hosts import hosts
from tests.distributed.ranks import ended, environment, free_ports, started

PROGRAM = (Path(__file__).parent / "programs/servers_1_5/dist_train.py").read_text(encoding="utf-8")
# What the program trains on: few of the houses, so that 30 epochs are soon over.
PRELUDE = """
import itertools, paddle
_all = paddle.dataset.uci_housing.train
paddle.dataset.uci_housing.train = lambda: lambda: itertools.islice(_all()(), 80)
"""


def start(tmp_path, servers, port, command=lambda host, words: words):
    """Two servers and two trainers by the tutorial's environment variables; trainers first."""
    (tmp_path / "fluid_dist.py").write_text(PRELUDE + PROGRAM, encoding="utf-8")
    common = {"PADDLE_PSERVER_IPS": ",".join(servers), "PADDLE_TRAINERS": "2", "PADDLE_PSERVER_PORT": str(port)}
    words, commands, environments = [sys.executable, "-W", "error", "fluid_dist.py"], [], []
    for number in range(2):
        commands.append(command(f"trainer{number}.paddlepaddle.com", words))
        environments.append(environment(PADDLE_TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID=str(number), **common))
    for host in servers:
        commands.append(command(host, words))
        environments.append(environment(PADDLE_TRAINING_ROLE="PSERVER", PADDLE_CURRENT_IP=host, **common))
    with started(commands, environments, tmp_path) as processes:
        found = ended(processes)
    for one in found:
        assert one.code == 0, one.out + one.err
    return found


def check(found):
    for trainer in found[:2]:
        losses = [float(loss) for loss in re.findall(r"Batch: 9, loss: (\S+)", trainer.out)]
        assert len(losses) == 30 and sum(losses[-5:]) < sum(losses[:5]) / 2
    for server in found[2:]:
        assert "all trainers have left after 300 steps" in server.err and "died" not in server.err


def test_the_program_trains_on_one_host(tmp_path):
    (port,) = free_ports(1)
    check(start(tmp_path, ["127.0.0.1", "127.0.0.2"], port))


def test_the_program_trains_on_four_hosts_with_the_names_of_the_tutorial(tmp_path):
    servers = ["ps0.paddlepaddle.com", "ps1.paddlepaddle.com"]
    trainers = ["trainer0.paddlepaddle.com", "trainer1.paddlepaddle.com"]
    with hosts([*servers, *trainers], tmp_path) as net:
        check(start(tmp_path, servers, 6174, net.command))
