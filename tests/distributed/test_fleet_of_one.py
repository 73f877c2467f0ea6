"""fleet on one machine with one process: programs written for many run as they are."""

import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.base.fleet_base import Mode
from paddle.fluid.incubate.fleet.collective import DistributedStrategy, TrainStatus, fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import StrategyFactory, fleet as with_servers
from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil
from paddle.fluid.incubate.fleet.utils.http_server import KVServer
from refluid.core.errors import EnforceNotMet
from tests.distributed.ranks import free_ports


def network():
    x = fluid.data("x", [None, 3])
    y = fluid.data("y", [None, 1])
    out = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1)))
    return out, fluid.layers.mean(fluid.layers.square_error_cost(out, y))


def feed():
    x = np.arange(12, dtype="float32").reshape(4, 3) / 12
    return {"x": x, "y": x.sum(1, keepdims=True)}


def train(program, loss, steps=3):
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    return [np.mean(exe.run(program, feed(), [loss])[0]) for _ in range(steps)]


def alone():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.Scope()):
            _, loss = network()
            fluid.optimizer.Adam(0.1).minimize(loss)
            return train(fluid.default_main_program(), loss)


@pytest.mark.parametrize("settings", [{}, {"mode": "collective", "collective_mode": "grad_allreduce"},
                                      {"use_local_sgd": True}], ids=str)  # fmt: skip
def test_one_worker_trains_as_without_fleet(settings):
    fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
    assert (fleet.worker_index(), fleet.worker_num(), fleet.is_first_worker(), fleet.is_worker()) == (0, 1, True, True)
    strategy = DistributedStrategy()
    for name, value in settings.items():
        setattr(strategy, name, value)
    _, loss = network()
    optimizer = fleet.distributed_optimizer(fluid.optimizer.Adam(0.1), strategy=strategy)
    ops, pairs = optimizer.minimize(loss, fluid.default_startup_program())
    assert len(pairs) == 2 and ops
    assert train(fleet.main_program, loss) == pytest.approx(alone(), rel=1e-6)


def test_what_was_trained_is_saved_and_loaded(tmp_path):
    fleet.init(role_maker.UserDefinedCollectiveRoleMaker(0, ["127.0.0.1:6170"]))
    out, loss = network()
    fleet.distributed_optimizer(fluid.optimizer.Adam(0.1)).minimize(loss)
    train(fleet.main_program, loss)
    exe = fluid.Executor()
    weight = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
    fleet.save_inference_model(exe, str(tmp_path / "model"), ["x"], [out])
    fleet.save_persistables(exe, str(tmp_path / "all"))
    assert (tmp_path / "all" / "fc_0.w_0").exists() and (tmp_path / "all" / "fc_0.w_0_moment1_0").exists()
    checkpoints = str(tmp_path / "checkpoints")
    assert fleet.load_check_point(exe, checkpoints, 0) is None
    for epoch in range(3):
        fleet.save_check_point(exe, checkpoints, TrainStatus(epoch))
    fluid.global_scope().find_var("fc_0.w_0").get_tensor().set(np.zeros((3, 1), "float32"), fluid.CPUPlace())
    status = fleet.load_check_point(exe, checkpoints, 0)
    assert (status, status.next()) == (TrainStatus(2), 3)
    assert np.array_equal(np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()), weight)
    fleet.clean_redundant_check_points(checkpoints)
    assert [p.name for p in (tmp_path / "checkpoints").iterdir()] == ["__paddle_fleet_checkpoint__.2"]


def test_strategies_recompute_and_mix_precisions():
    fleet.init()
    x = fluid.data("x", [None, 3])
    hidden = fluid.layers.fc(x, 4, act="relu")
    loss = fluid.layers.mean(fluid.layers.fc(hidden, 1))
    strategy = DistributedStrategy()
    strategy.forward_recompute = True
    strategy.recompute_checkpoints = [hidden]
    strategy.use_amp = True
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(loss)
    types = [op.type for op in fluid.default_main_program().global_block().ops]
    assert "check_finite_and_unscale" in types or "isfinite" in types or "amp_check_finite_and_scale" in types
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    assert np.isfinite(exe.run(fleet.main_program, {"x": feed()["x"]}, [loss])[0]).all()
    with pytest.raises(EnforceNotMet, match="recompute_checkpoints"):
        strategy.recompute_checkpoints = []
        fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(loss)


def test_files_are_dealt_out_to_workers():
    class Third(role_maker.UserDefinedCollectiveRoleMaker):
        pass

    shares = []
    for number in range(3):
        fleet.init(Third(number, ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]))
        shares.append(fleet.split_files(list("abcde")))
    assert shares == [["a", "b"], ["c", "d"], ["e"]]


def test_roles_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("PADDLE_PSERVERS_IP_PORT_LIST", "127.0.0.1:6001,127.0.0.1:6002")
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "3")
    monkeypatch.setenv("TRAINING_ROLE", "TRAINER")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    role = role_maker.PaddleCloudRoleMaker()
    assert (role.is_worker(), role.is_first_worker(), role.worker_index(), role.worker_num()) == (True, False, 1, 3)
    monkeypatch.setenv("TRAINING_ROLE", "PSERVER")
    monkeypatch.setenv("POD_IP", "127.0.0.1")
    monkeypatch.setenv("PADDLE_PORT", "6002")
    role = role_maker.PaddleCloudRoleMaker()
    assert (role.is_server(), role.server_index(), len(role.get_pserver_endpoints())) == (True, 1, 2)
    monkeypatch.setenv("PADDLE_PORT", "6003")
    with pytest.raises(EnforceNotMet, match="listens at 127.0.0.1:6003 .* not among"):
        role_maker.PaddleCloudRoleMaker().generate_role()
    monkeypatch.setenv("TRAINING_ROLE", "BOSS")
    with pytest.raises(EnforceNotMet, match="TRAINING_ROLE must be TRAINER or PSERVER, got 'BOSS'"):
        role_maker.PaddleCloudRoleMaker().generate_role()


def test_what_role_makers_refuse():
    with pytest.raises(TypeError, match="server_endpoints must be a list"):
        role_maker.UserDefinedRoleMaker(server_endpoints="127.0.0.1:1", worker_num=1)
    with pytest.raises(ValueError, match="worker_num must be a number above 0"):
        role_maker.UserDefinedRoleMaker(server_endpoints=["127.0.0.1:1"])
    with pytest.raises(ValueError, match="current_id must be a number from 0 to 0, got 1"):
        role_maker.UserDefinedCollectiveRoleMaker(1, ["127.0.0.1:1"])
    with pytest.raises(EnforceNotMet, match="MPISymetricRoleMaker: MPI jobs"):
        role_maker.MPISymetricRoleMaker()
    with pytest.raises(TypeError, match=r"fleet\.init: role_maker must be a RoleMakerBase"):
        fleet.init("worker")


def test_a_worker_that_finds_no_server_says_so(monkeypatch):
    monkeypatch.setenv("FLAGS_rpc_deadline", "100")
    with_servers.init(role_maker.UserDefinedRoleMaker(0, role_maker.Role.WORKER, 1, ["127.0.0.1:6001"]))
    assert with_servers._mode == Mode.TRANSPILER
    _, loss = network()
    optimizer = with_servers.distributed_optimizer(
        fluid.optimizer.SGD(0.1), StrategyFactory.create_geo_strategy(update_frequency=5)
    )
    with pytest.raises(EnforceNotMet, match="nobody listens at 127.0.0.1:6001"):
        optimizer.minimize(loss)


def test_strategies_hold_their_settings(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    strategy = StrategyFactory.create_half_async_strategy()
    strategy.set_trainer_runtime_config({"communicator_send_queue_size": "7"})
    assert strategy.get_trainer_runtime_config().get_communicator_flags()["communicator_send_queue_size"] == "2"
    assert strategy.get_execute_strategy().use_thread_barrier and strategy.get_program_config().half_async
    with pytest.raises(ValueError, match="DistributeTranspilerConfig has no 'speed'"):
        strategy.set_program_config({"speed": 1})


def test_the_area_under_the_curve_of_all_workers():
    scope = fluid.Scope()
    scope.var("pos").get_tensor().set(np.array([[0, 1, 2]], "int64"), fluid.CPUPlace())
    scope.var("neg").get_tensor().set(np.array([[2, 1, 0]], "int64"), fluid.CPUPlace())
    # of 9 pairs 8 are in order, one is a tie
    assert FleetUtil().get_global_auc(scope, "pos", "neg") == pytest.approx(8.5 / 9)
    FleetUtil().set_zero("pos", scope, fluid.CPUPlace())
    assert not np.array(scope.find_var("pos").get_tensor()).any()
    with pytest.raises(EnforceNotMet, match=r"FleetUtil.save_xbox_base_model: this helper is of pslib"):
        FleetUtil().save_xbox_base_model("x", "y")


def test_keys_and_values_over_http():
    import requests

    (port,) = free_ports(1)
    server = KVServer(port, {"jobs": 1})
    server.start()
    try:
        at = f"http://127.0.0.1:{port}/jobs/first"
        assert requests.get(at, timeout=60).status_code == 404
        assert requests.put(at, data=b"ready", timeout=60).status_code == 200
        assert requests.get(at, timeout=60).content == b"ready"
        assert not server.shoud_stop()
        requests.delete(at, timeout=60)
        assert server.shoud_stop()
    finally:
        server.stop()


def test_data_generators_write_slots(capsys, monkeypatch):
    from paddle.fluid.incubate.data_generator import MultiSlotDataGenerator, MultiSlotStringDataGenerator

    class Words(MultiSlotDataGenerator):
        def generate_sample(self, line):
            def samples():
                yield zip(["words", "label"], [[int(w) for w in line.split()], [0.5]])  # a list in Python 2
                yield None

            return samples

        def generate_batch(self, samples):
            return lambda: iter(reversed(samples))

    monkeypatch.setattr(sys, "stdin", ["1 2\n", "3\n", "4 5 6\n"])
    words = Words()
    words.set_batch(2)
    words.run_from_stdin()
    assert capsys.readouterr().out == "1 3 1 0.5\n2 1 2 1 0.5\n3 4 5 6 1 0.5\n"
    assert words._proto_info == [("words", "uint64"), ("label", "float")]

    class Texts(MultiSlotStringDataGenerator):
        def generate_sample(self, line):
            return lambda: [[("a", ["x", "y"]), ("b", ["z"])]]

    Texts().run_from_memory()
    assert capsys.readouterr().out == "2 x y 1 z\n"
    with pytest.raises(ValueError, match="slot 0 is 'b' here and was 'words'"):
        words._gen_str([("b", [1]), ("label", [1])])
    with pytest.raises(ValueError, match="slot 'words': values must be int or float, got str"):
        words._gen_str([("words", ["1"]), ("label", [1])])


def test_the_places_of_one_process_need_no_others():
    """collective_mode single_process_multi_thread: its program has c_comm_init_all and sums over one process."""
    _, loss = network()
    fluid.optimizer.Adam(0.1).minimize(loss)
    config = fluid.DistributeTranspilerConfig()
    config.mode, config.collective_mode = "collective", "single_process_multi_thread"
    own = "127.0.0.1:6170"
    fluid.DistributeTranspiler(config).transpile(0, trainers=own, current_endpoint=own)
    types = [op.type for op in fluid.default_main_program().global_block().ops]
    assert types.count("c_allreduce_sum") == 2
    assert train(fluid.default_main_program(), loss) == pytest.approx(alone(), rel=1e-6)


def test_a_switch_without_anything_behind_it_changes_nothing():
    from paddle.fluid.incubate.fleet.collective import DistFCConfig

    fleet.init(role_maker.UserDefinedCollectiveRoleMaker(0, ["127.0.0.1:6170"]))
    _, loss = network()
    strategy = DistributedStrategy()
    strategy.use_dist_fc = True
    with pytest.raises(EnforceNotMet, match="use_dist_fc needs strategy.dist_fc_config"):
        fleet.distributed_optimizer(fluid.optimizer.Adam(0.1), strategy).minimize(loss)
    strategy.dist_fc_config = DistFCConfig()
    with pytest.warns(UserWarning, match="use_dist_fc changes nothing"):
        fleet.distributed_optimizer(fluid.optimizer.Adam(0.1), strategy).minimize(loss)
    assert train(fleet.main_program, loss) == pytest.approx(alone(), rel=1e-6)
