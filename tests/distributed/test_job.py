"""paddle.distributed.utils and cloud_utils: jobs described and started by launchers of users' own."""

import argparse
import socket
import time

import pytest

from paddle.distributed import cloud_utils, launch, utils
from refluid.distributed.launch.arguments import LaunchError, parse

ENDPOINTS = [["10.0.0.1:6170", "10.0.0.1:6171"], ["10.0.0.2:6170", "10.0.0.2:6171"]]


def test_a_cluster_has_a_trainer_per_node_and_device():
    cluster, pod = utils.get_cluster(["10.0.0.1", "10.0.0.2"], "10.0.0.2", ENDPOINTS, [0, 1])
    assert cluster.trainers_endpoints() == ENDPOINTS[0] + ENDPOINTS[1]
    assert (cluster.trainers_nranks(), cluster.pods_nranks(), pod.rank) == (4, 2, 1)
    assert [(t.rank, t.gpus, t.endpoint) for t in pod.trainers] == [
        (2, [0], ENDPOINTS[1][0]),
        (3, [1], ENDPOINTS[1][1]),
    ]
    assert cluster == utils.get_cluster(["10.0.0.1", "10.0.0.2"], "10.0.0.1", ENDPOINTS, [0, 1])[0]
    other = utils.Cluster(hdfs=None)
    assert other != cluster
    other.update_pods(cluster)
    assert other == cluster
    pod.id, pod.port, pod.gpus = "b", 7000, [2, 3]
    assert (cluster.get_pod_by_id("b"), pod.get_visible_gpus()) == (pod, "2,3")
    with pytest.raises(LaunchError, match="has no address and port"):
        cluster.pods_endpoints()
    with pytest.raises(LaunchError, match="node 10.0.0.1 has 2 endpoints for 3 devices"):
        utils.get_cluster(["10.0.0.1", "10.0.0.2"], "10.0.0.2", ENDPOINTS, [0, 1, 2])


def test_the_command_line_and_the_cloud_describe_clusters(monkeypatch):
    args = parse(["--selected_gpus=0,1", "train.py"])
    cluster, _ = launch.get_cluster_from_args(args, launch.get_gpus(args.selected_gpus))
    assert len(set(cluster.trainers_endpoints())) == 2
    args = parse(["--cluster_node_ips=10.0.0.1,10.0.0.2", "--node_ip=10.0.0.2", "--started_port=6170", "train.py"])
    assert launch.get_cluster_from_args(args, [0, 1])[0].trainers_endpoints() == ENDPOINTS[0] + ENDPOINTS[1]
    with pytest.raises(LaunchError, match="there is no PADDLE_TRAINERS"):
        cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", None, [0])
    for name, value in (("PADDLE_TRAINERS", "10.0.0.1,10.0.0.2"), ("POD_IP", "10.0.0.2"), ("PADDLE_TRAINER_ID", "1"),
                        ("TRAINER_PORTS_NUM", "2"), ("PADDLE_PORT", "6170")):  # fmt: skip
        monkeypatch.setenv(name, value)
    cluster, pod = cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", 9000, [0, 1])
    assert (cluster.trainers_endpoints(), pod.addr) == (ENDPOINTS[0] + ENDPOINTS[1], "10.0.0.2")
    monkeypatch.setenv("DISTRIBUTED_TRAINER_ENDPOINTS", "a:1,a:2,b:3,b:4")
    cluster, _ = cloud_utils.get_cloud_cluster("127.0.0.1", "127.0.0.1", None, [0])
    assert cluster.trainers_endpoints() == ["a:1", "b:3"]
    assert cloud_utils.get_trainers_num() == 1


def test_trainers_are_started_watched_and_ended(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("""
import os, sys, time
print(os.environ["PADDLE_TRAINER_ID"], os.environ["PADDLE_TRAINERS_NUM"], sys.argv[1:])
if os.environ["PADDLE_TRAINER_ID"] == "1":
    sys.exit(3)
time.sleep(600)
""")
    ports = sorted(utils.find_free_ports(2))
    cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", [[f"127.0.0.1:{port}" for port in ports]], [0, 1])
    procs = utils.start_local_trainers(cluster, pod, str(script), ["x"], str(tmp_path / "logs"))
    with pytest.raises(SystemExit):
        while utils.watch_local_trainers(procs, 2):
            time.sleep(0.05)
    assert [one.proc.returncode for one in procs] == [-15, 3]
    assert (tmp_path / "logs" / "workerlog.1").read_text() == "1 2 ['x']\n"


def test_small_tools():
    parser = argparse.ArgumentParser()
    utils.add_arguments("fast", bool, False, "Whether to hurry.", parser)
    assert parser.parse_args(["--fast", "1"]).fast is True and parser.parse_args([]).fast is False
    found = utils.get_host_name_ip()
    assert found is None or found[0] == socket.gethostname()
    assert utils.get_logger(10, "test_job").level == 10
