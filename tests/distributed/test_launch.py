"""launch: starts processes with their environment, files their output, and ends them all when one fails."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from refluid.distributed.launch.arguments import LaunchError, parse
from refluid.distributed.launch.cluster import settle
from tests.distributed.ranks import TIMEOUT, ended, environment, ports_in_a_row, started

LAUNCH = [sys.executable, "-m", "refluid.distributed.launch"]  # without the time that importing paddle takes
SHOW = """
import os, sys
names = ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_CURRENT_ENDPOINT", "PADDLE_TRAINER_ENDPOINTS",
         "FLAGS_selected_gpus", "OMP_NUM_THREADS", "PADDLE_TRAINING_ROLE", "http_proxy")
print(*(os.environ.get(name, "-") for name in names), *sys.argv[1:])
"""


def launch(tmp_path, arguments, script, command=LAUNCH, **variables):
    (tmp_path / "train.py").write_text(script)
    env = environment(**variables)
    if "OMP_NUM_THREADS" not in variables:
        del env["OMP_NUM_THREADS"]
    with started([[*command, *arguments]], [env], tmp_path) as processes:
        return ended(processes)[0]


def test_the_banner_is_that_of_the_documents_and_every_process_has_its_log(tmp_path):
    port = ports_in_a_row(4)[0]
    found = launch(
        tmp_path,
        ["--selected_gpus=0,1,2,3", "--log_dir", "./mylog", "--started_port", str(port), "--use_paddlecloud",
         "train.py", "--use_data_parallel", "1"],
        SHOW, [sys.executable, "-m", "paddle.distributed.launch"], http_proxy="http://127.0.0.1:1",
    )  # fmt: skip
    assert found.code == 0, found.err
    endpoints = ",".join(f"127.0.0.1:{port + i}" for i in range(4))
    last = (
        f"trainers_endpoints: {endpoints} , node_id: 0 , current_node_ip: 127.0.0.1 , num_nodes: 1 , "
        "node_ips: ['127.0.0.1'] , nranks: 4"
    )
    banner = f"""\
-----------  Configuration Arguments -----------
cluster_node_ips: 127.0.0.1
log_dir: ./mylog
node_ip: 127.0.0.1
print_config: True
selected_gpus: 0,1,2,3
started_port: {port}
training_script: train.py
training_script_args: ['--use_data_parallel', '1']
use_paddlecloud: True
------------------------------------------------
"""
    assert found.out == banner + last + "\n"
    threads = max(len(os.sched_getaffinity(0)) // 4, 1)
    for rank in range(4):
        log = (tmp_path / "mylog" / f"workerlog.{rank}").read_text()
        own = endpoints.split(",")[rank]
        assert log == f"{rank} 4 {own} {endpoints} {rank} {threads} TRAINER - --use_data_parallel 1\n"


def test_without_a_folder_the_output_is_passed_on_with_the_rank(tmp_path):
    script = "import os, sys\nprint('out')\nprint('err', file=sys.stderr)\n"
    found = launch(tmp_path, ["--selected_gpus=0,1", "train.py"], script)
    assert found.code == 0, found.err
    assert sorted(found.lines()[-2:]) == ["[0] out", "[1] out"]
    assert sorted(found.err.splitlines()) == ["[0] err", "[1] err"]


def test_the_spelling_of_1_4_files_the_output_in_mylog(tmp_path):
    found = launch(tmp_path, ["--gpus", "2", "train.py", "--gpus", "4"], "import sys\nprint(sys.argv[1:])\n")
    assert found.code == 0 and "log_dir: ./mylog" in found.lines()
    logs = [(tmp_path / "mylog" / f"workerlog.{rank}").read_text() for rank in range(2)]
    assert logs == ["['--gpus', '4']\n"] * 2


def test_the_first_that_fails_ends_the_others_and_gives_the_exit_code(tmp_path):
    script = """
import os, subprocess, sys, time
if os.environ["PADDLE_TRAINER_ID"] == "1":
    print("line before the end")
    sys.exit(7)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(f"pids.{os.environ['PADDLE_TRAINER_ID']}", "w").write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""
    found = launch(tmp_path, ["--selected_gpus=0,1,2", "--log_dir", "logs", "train.py"], script)
    assert found.code == 7
    assert re.search(
        r"launch: rank 1 at \S+ ended with code 7; the others are ended. The last lines of logs/workerlog.1:", found.err
    )
    assert "    line before the end" in found.err
    pids = [int(pid) for file in tmp_path.glob("pids.*") for pid in file.read_text().split()]
    until_ended(pids)


def until_ended(pids: list[int]) -> None:
    """A process that was killed needs a moment to end."""
    deadline = time.monotonic() + TIMEOUT
    while any(map(alive, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_everything(tmp_path, number):
    (tmp_path / "train.py").write_text("""
import os, time
open(f"pid.{os.environ['PADDLE_TRAINER_ID']}", "w").write(str(os.getpid()))
time.sleep(600)
""")
    with started([[*LAUNCH, "--selected_gpus=0,1", "train.py"]], [environment()], tmp_path) as processes:
        deadline = time.monotonic() + TIMEOUT
        while len(pids := [p.read_text() for p in tmp_path.glob("pid.*")]) < 2 or not all(pids):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(processes[0].pid, number)
        (found,) = ended(processes)
        until_ended([int(pid) for pid in pids])
    assert found.code == (128 + number if number != signal.SIGKILL else -number)


def test_a_job_that_fails_is_started_again(tmp_path):
    script = """
import os, sys
count = int(os.environ["REFLUID_RESTARTS"])
print("attempt", count)
sys.exit(3 if count < 2 and os.environ["PADDLE_TRAINER_ID"] == "0" else 0)
"""
    found = launch(tmp_path, ["--gpus", "2", "--max_restarts", "2", "--log_dir", "logs", "train.py"], script)
    assert found.code == 0, found.err
    assert (tmp_path / "logs" / "workerlog.0").read_text() == "attempt 0\nattempt 1\nattempt 2\n"
    found = launch(tmp_path, ["--gpus", "2", "--max_restarts", "1", "--log_dir", "logs", "train.py"], script)
    assert found.code == 3
    assert "launch: starting again, 1 of 1" in found.err


def test_servers_and_workers_are_started(tmp_path):
    (tmp_path / "train.py").write_text("""
import os, time
names = ("TRAINING_ROLE", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ID", "POD_IP", "PADDLE_PORT",
         "PADDLE_PSERVERS_IP_PORT_LIST")
print(*(os.environ.get(name, "-") for name in names))
if os.environ["TRAINING_ROLE"] == "PSERVER":
    time.sleep(600)
""")
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--start_port", "7100", "--worker_num", "2",
               "--server_num", "2", "--log_dir", "logs", "train.py"]  # fmt: skip
    with started([command], [environment(REFLUID_TRAINER_LEASE="1")], tmp_path) as processes:
        (found,) = ended(processes)
    assert found.code == 0, found.err
    logs = {file.name: file.read_text() for file in (tmp_path / "logs").iterdir()}
    servers = "127.0.0.1:7100,127.0.0.1:7101"
    assert logs == {
        "serverlog.0": f"PSERVER 2 - 127.0.0.1 7100 {servers}\n",
        "serverlog.1": f"PSERVER 2 - 127.0.0.1 7101 {servers}\n",
        "workerlog.0": f"TRAINER 2 0 - - {servers}\n",
        "workerlog.1": f"TRAINER 2 1 - - {servers}\n",
    }


# -- arguments ------------------------------------------------------------------------------------------------------


def settled(*arguments):
    args = parse([*arguments, "train.py"])
    return args, settle(args)


def test_devices_come_from_three_places(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert settled("--selected_gpus=2,3")[1].devices == ["2", "3"]
    assert settled("--gpus", "3")[0].selected_gpus == "0,1,2"
    assert settled()[1].devices == ["0"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5")
    args, cluster = settled()
    assert (args.selected_gpus, cluster.devices, len(cluster.endpoints)) == ("4,5", ["0", "1"], 2)


def test_two_nodes_share_one_list_of_endpoints():
    _, cluster = settled("--cluster_node_ips=10.9.0.1,10.9.0.2", "--node_ip=10.9.0.2", "--selected_gpus=0,1")
    assert cluster.endpoints == ["10.9.0.1:6170", "10.9.0.1:6171", "10.9.0.2:6170", "10.9.0.2:6171"]
    assert (cluster.node_id, cluster.first_rank) == (1, 2)


def test_a_port_that_is_taken_is_told_or_left_alone():
    from refluid.distributed.store import listen

    port = ports_in_a_row(2)[0]
    with listen("127.0.0.1", port), pytest.raises(LaunchError, match=f"port {port} of 127.0.0.1 is in use"):
        settled("--gpus", "2", "--started_port", str(port))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--start_port", "99999"],
         "--start_port: expected host:port with a port from 1 to 65535, got '127.0.0.1:99999'"),
        (["--endpoints", "127.0.0.1"], "--endpoints: expected host:port with a port from 1 to 65535, got '127.0.0.1'"),
        (["--endpoints", "127.0.0.1:x"],
         "--endpoints: expected host:port with a port from 1 to 65535, got '127.0.0.1:x'"),
        (["--endpoints", "10.0.0.1:7,10.0.0.1:7", "--server_num", "2"],
         "--endpoints must list every server once, got 10.0.0.1:7,10.0.0.1:7"),
        (["--server_num", "0"], "one server and one worker are needed, got 0 and 1"),
        (["--start_port", "TAKEN"], "port TAKEN of 127.0.0.1 is in use"),
    ],
)  # fmt: skip
def test_servers_that_cannot_be_started_are_told_before_any_is(tmp_path, capsys, monkeypatch, arguments, says):
    from refluid.distributed.launch.servers import main
    from refluid.distributed.store import listen

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("raise SystemExit('was started')\n")
    port = str(ports_in_a_row(1)[0])
    with listen("127.0.0.1", int(port)):
        arguments = [argument.replace("TAKEN", port) for argument in arguments]
        assert main(["--server_num", "1", "--worker_num", "1", *arguments, "train.py"]) == 2
    assert capsys.readouterr().err == f"launch_ps: {says.replace('TAKEN', port)}\n"
    assert os.listdir(tmp_path) == ["train.py"]


def test_two_launchers_do_not_choose_the_same_ports():
    """The first one's ranks bind theirs when they have started, some seconds after it has chosen."""
    choose = "from tests.distributed.test_launch import settled; print(settled('--gpus', '2')[1], flush=True); input()"
    env = {**environment(), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", choose], env=env, text=True, stdin=-1, stdout=-1) as other:
        theirs = re.search(r"trainers_endpoints: (\S+)", other.stdout.readline()).group(1).split(",")
        ours = settled("--gpus", "2")[1].endpoints
        assert ours == settled("--gpus", "2")[1].endpoints
        other.communicate("")
    assert not set(ours) & set(theirs)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--selected_gpus=a"], "--selected_gpus must list devices, each once"),
        (["--selected_gpus=1,1"], "--selected_gpus must list devices, each once"),
        (["--gpus", "0"], "--gpus must be 1 at least, got 0"),
        (["--node_ip", "10.0.0.3"], "--node_ip 10.0.0.3 is not among --cluster_node_ips 127.0.0.1"),
        (["--cluster_node_ips=10.0.0.1,10.0.0.1", "--node_ip=10.0.0.1"], "lists a node twice"),
        (["--started_port", "65535", "--gpus", "2"], "--started_port 65535 leaves no room for 2 ports"),
    ],
)
def test_wrong_arguments_are_told(arguments, says, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with pytest.raises(LaunchError, match=says):
        settled(*arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing.py"], "there is no file nothing.py"),
        (["--max_restarts", "-1", "train.py"], "--max_restarts must be 0 at least, got -1"),
        (["--log_dir", "train.py/logs", "train.py"],
         "--log_dir: train.py/logs/workerlog.0 cannot be written: Not a directory"),
    ],
)  # fmt: skip
def test_what_cannot_be_started_is_told(tmp_path, capsys, monkeypatch, arguments, says):
    from refluid.distributed.launch.command import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("pass\n")
    assert main(["--print_config", "0", *arguments]) == 2
    assert capsys.readouterr().err == f"launch: {says}\n"
