"""Processes that are killed, strangers, and mistakes in how a job is started."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

from tests.distributed.ranks import TIMEOUT, ended
from tests.distributed.server.jobs import job, until, well_ended
from tests.distributed.server.test_strangers import kernel_tells

SIZES = {"w": [2], "v": [2]}
LEASE = "6"  # seconds: long enough for trainers of a busy machine to be heard

# Trainers send ones, as many times as STEPS says and until the file UNTIL is there; then they wait to be killed if they
# are told to.
TRAINER = """
import itertools, os, time, warnings
import paddle.fluid as fluid
if "CALM" in os.environ:
    warnings.simplefilter("default")
from tests.distributed.server.programs import append_exchange, append_recv
index, endpoints = int(os.environ["INDEX"]), os.environ["ENDPOINTS"].split(",")
placed = {name: endpoints[i % len(endpoints)] for i, name in enumerate(SIZES)}
main, startup = fluid.Program(), fluid.Program()
for name, shape in SIZES.items():
    for program in (main, startup):
        program.global_block().create_var(name=name, shape=shape, dtype="float32", persistable=True)
    gradient = main.global_block().create_var(name=name + "@GRAD", shape=shape, dtype="float32")
    main.global_block().append_op("fill_constant", {}, {"Out": [gradient]}, {"shape": shape, "dtype": 5, "value": 1.0})
append_recv(startup.global_block(), index, placed, [])
append_exchange(main.global_block(), index, placed)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
print("joined", flush=True)
for step in itertools.count():
    value = exe.run(main, fetch_list=["w"])[0].tolist()
    if step < 10:
        print(step, value, flush=True)
    if "SILENT" in os.environ and step == 2:
        os._exit(0)
    if step + 1 >= int(os.environ.get("STEPS", 5)) and os.path.exists(os.environ.get("UNTIL", "/")):
        break
print("end", value, flush=True)
if "HANG" in os.environ:
    print("hangs", flush=True)
    time.sleep(600)
exe.close()
"""


def test_a_killed_trainer_is_not_waited_for_and_may_come_again(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, REFLUID_TRAINER_LEASE=LEASE) as made:
        servers = [made.start("server", i) for i in range(2)]
        goes_on = made.start("trainer", 0, STEPS="1000000")
        killed = made.start("trainer", 1, STEPS="2", HANG="1")
        until(killed, "hangs")
        os.killpg(killed.pid, signal.SIGKILL)
        until(goes_on, "9 [10.0, 10.0]")  # the mean over one is the mean over two
        well_ended([made.start("trainer", 1, STEPS="2")])
        os.killpg(goes_on.pid, signal.SIGKILL)
        for server in well_ended(servers):
            assert f"trainer 1 is gone: not heard for {LEASE} s" in server.err
            assert "all trainers have left" in server.err and "died: 0, 1" in server.err


def test_a_trainer_that_ends_without_a_word_is_not_waited_for(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, REFLUID_TRAINER_LEASE=LEASE, STEPS="6") as made:
        servers = [made.start("server", i) for i in range(2)]
        trainers = [made.start("trainer", 0), made.start("trainer", 1, SILENT="1")]
        assert well_ended(trainers)[0].out.splitlines()[-1] == "end [6.0, 6.0]"
        for server in well_ended(servers):
            assert "all trainers have left after 6 steps; died: 1" in server.err


def test_a_trainer_that_was_stopped_joins_again_and_the_other_went_on(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, REFLUID_TRAINER_LEASE=LEASE, CALM="1") as made:
        servers = [made.start("server", i) for i in range(2)]
        sign = tmp_path / "the other has come again"
        goes_on, stopped = made.start("trainer", 0, STEPS="1000000"), made.start("trainer", 1, UNTIL=str(sign))
        until(stopped, "3 ")
        os.kill(stopped.pid, signal.SIGSTOP)
        for server in servers:
            until(server, f"trainer 1 is gone: not heard for {LEASE} s; the others go on", said=True)
        os.kill(stopped.pid, signal.SIGCONT)
        for server in servers:
            until(server, "trainer 1 has joined", said=True)
        sign.touch()
        (found,) = well_ended([stopped])
        assert "trainer 1 was declared dead at step" in found.err and "end [" in found.out
        os.killpg(goes_on.pid, signal.SIGKILL)
        well_ended(servers)


def test_trainers_name_the_server_that_is_gone(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, trainers=1, REFLUID_SERVER_PATIENCE="2", STEPS="1000000") as made:
        servers = [made.start("server", i) for i in range(2)]
        trainer = made.start("trainer", 0)
        until(trainer, "joined")
        os.killpg(servers[1].pid, signal.SIGKILL)
        (found,) = ended([trainer])
        assert found.code != 0 and f"the server at {made.endpoints[1]} does not answer" in found.err
        well_ended(servers[:1])


def test_a_server_that_has_lost_its_state_is_not_trained_with(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, 1, 1, STEPS="1000000") as made:
        server = made.start("server", 0)
        trainer = made.start("trainer", 0)
        until(trainer, "joined")
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        again = made.start("server", 0, FLAGS_rpc_deadline="1000")
        (found,) = ended([trainer])
        assert found.code != 0 and "was restarted and has lost its parameters" in found.err
        (found,) = ended([again])  # does not wait for ever for trainers that have gone
        assert found.code != 0 and "trainer 0 knows what this server has lost" in found.err
        assert "this server was restarted without a state folder" in found.err


def test_strangers_are_refused_and_the_job_goes_on(tmp_path: Path) -> None:
    with job(tmp_path, TRAINER, SIZES, -1.0, 1, 1, REFLUID_JOB_TOKEN="secret", STEPS="3") as made:
        server = made.start("server", 0)
        host, port = made.endpoints[0].split(":")
        until_listening(host, int(port))
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\x40\x00\x00\x00" + bytes(1000)):
            with socket.create_connection((host, int(port)), TIMEOUT) as stranger:
                stranger.sendall(garbage)
        spy = made.start("trainer", 0, REFLUID_JOB_TOKEN="guessed")
        number = made.start("trainer", 1)
        wrong = ended([spy, number])
        assert wrong[0].code != 0 and "has another REFLUID_JOB_TOKEN" in wrong[0].err
        assert wrong[1].code != 0 and "trainer 1 is none of the 1 trainers of this job" in wrong[1].err
        (trainer,) = well_ended([made.start("trainer", 0)])
        assert trainer.out.splitlines()[-1] == "end [3.0, 3.0]"
        (said,) = well_ended([server])
        assert not kernel_tells() or said.err.count("turned 127.0.0.1 away") == 1


def until_listening(host: str, port: int) -> None:
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            return socket.create_connection((host, port), TIMEOUT).close()
        except OSError:
            assert time.monotonic() < end, "no server"
            time.sleep(0.1)
