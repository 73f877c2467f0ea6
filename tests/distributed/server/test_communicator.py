"""Programs that exchange by a Communicator: asynchronous, half-asynchronous, synchronous; settings and mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.communicator import Communicator
from paddle.fluid.transpiler.distribute_transpiler import DistributedMode
from refluid.core.errors import ArgumentError, EnforceNotMet
from tests.distributed.server.jobs_in_threads import Trainer, alone, configured, job
from tests.distributed.server.test_asynchronous import NAMES, feeds, network
from tests.distributed.server.test_once import until

# mode -> the settings of programs that go with it, as fleet's strategies have them
CONFIGS: dict[int, dict[str, Any]] = {
    DistributedMode.ASYNC: {},
    DistributedMode.HALF_ASYNC: {"half_async": True},
    DistributedMode.SYNC: {"half_async": True, "completely_not_async": True},
}


def config(mode: int) -> Any:
    return configured(sync_mode=False, runtime_split_send_recv=True, **CONFIGS[mode])


def communicator(trainer: Trainer, mode: int, **settings: str) -> Communicator:
    with fluid.scope_guard(trainer.scope):
        return Communicator(trainer.program, mode, envs={f"communicator_{k}": v for k, v in settings.items()})


@pytest.mark.parametrize("mode", [DistributedMode.HALF_ASYNC, DistributedMode.SYNC], ids=["half async", "sync"])
@pytest.mark.parametrize("first", [True, False], ids=["before startup", "after startup"])
def test_one_trainer_computes_what_one_process_does(mode: int, first: bool) -> None:
    batches = feeds(4)
    losses, values = alone(network("adam"), batches, NAMES)
    with job(network("adam"), lambda: config(mode)) as made:
        trainer = made.trainer()
        if not first:
            trainer.start()
        exchanges = communicator(trainer, mode)
        exchanges.start()
        if first:
            trainer.start()
        found = [trainer.run(feed) for feed in batches]
        exchanges.stop()
        for name, expected in values.items():
            np.testing.assert_allclose(trainer.value(name), expected, rtol=1e-6, atol=1e-7)
        made.end()
    np.testing.assert_allclose(found, losses, rtol=1e-6)


def decaying() -> Any:
    return fluid.layers.exponential_decay(0.01, 2, 0.5, staircase=True)


def test_a_schedule_counts_the_rounds_of_synchronous_training() -> None:
    """In 1.8.5 it stays at its first step."""
    batches = feeds(5)
    losses, _ = alone(network("sgd", decaying), batches, NAMES)
    with job(network("sgd", decaying), lambda: config(DistributedMode.SYNC)) as made:
        trainer = made.trainer()
        trainer.start()
        exchanges = communicator(trainer, DistributedMode.SYNC)
        exchanges.start()
        np.testing.assert_allclose([trainer.run(feed) for feed in batches], losses, rtol=1e-6)
        exchanges.stop()
        made.end()


@pytest.mark.parametrize("mode", CONFIGS)
def test_the_same_programs_run_without_a_communicator(mode: int) -> None:
    batches = feeds(3)
    losses, _ = alone(network(), batches, NAMES)
    with job(network(), lambda: config(mode)) as made:
        trainer = made.trainer()
        trainer.start()
        np.testing.assert_allclose([trainer.run(feed) for feed in batches], losses, rtol=1e-6)
        made.end()


def ones() -> Any:
    """A network whose gradient is one, whatever its weight is."""
    x = fluid.layers.data("x", [1])
    guess = fluid.layers.fc(x, 1, param_attr=fluid.ParamAttr("w", fluid.initializer.Constant(0.0)), bias_attr=False)
    cost = fluid.layers.mean(guess)
    fluid.optimizer.SGD(1.0).minimize(cost)
    return cost


ONE = {"x": np.ones((1, 1), "float32")}


@pytest.mark.parametrize("independent", ["0", "1"])
@pytest.mark.parametrize("merge", ["1", "4"])
def test_asynchronous_steps_all_arrive_and_parameters_come_back(merge: str, independent: str) -> None:
    settings = {"max_merge_var_num": merge, "send_queue_size": merge, "independent_recv_thread": independent}
    with job(ones, lambda: config(DistributedMode.ASYNC), 1, 2) as made:
        trainer, other = made.trainer(0), made.trainer(1)
        trainer.start(), other.start()
        exchanges = communicator(trainer, DistributedMode.ASYNC, **settings)
        exchanges.start()
        for _ in range(30):
            trainer.run(ONE)
        until(lambda: trainer.value("w") < -20)
        exchanges.stop()
        assert made.value("w") == [[-30.0]]
        other.run(ONE)
        assert other.value("w") == [[-31.0]]
        made.end()


def test_several_steps_are_added_up_for_sgd_and_averaged_for_others() -> None:
    for is_sgd, expected in (("1", -4.0), ("0", -1.0)):
        with job(ones, lambda: config(DistributedMode.ASYNC), 1, 1) as made:
            trainer = made.trainer()
            trainer.start()
            exchanges = communicator(
                trainer, DistributedMode.ASYNC, is_sgd_optimizer=is_sgd, max_merge_var_num="4", send_queue_size="4",
                send_wait_times="1000",
            )  # fmt: skip
            exchanges.start()
            for _ in range(4):
                trainer.run(ONE)
            exchanges.stop()
            assert made.value("w") == [[expected]]
            made.end()


def test_leaving_without_stop_sends_what_is_left() -> None:
    with job(ones, lambda: config(DistributedMode.ASYNC), 1, 1) as made:
        trainer = made.trainer()
        trainer.start()
        exchanges = communicator(trainer, DistributedMode.ASYNC, send_queue_size="50")
        exchanges.start()
        for _ in range(20):
            trainer.run(ONE)
        trainer.exe.close()
        assert not exchanges.is_running()
        assert made.value("w") == [[-20.0]]
        made.end()


def test_a_communicator_that_is_stopped_leaves_a_program_that_exchanges_by_itself() -> None:
    with job(ones, lambda: config(DistributedMode.ASYNC), 1, 1) as made:
        trainer = made.trainer()
        trainer.start()
        exchanges = communicator(trainer, DistributedMode.ASYNC)
        assert not exchanges.is_running()
        exchanges.start()
        assert exchanges.is_running()
        trainer.run(ONE)
        exchanges.stop()
        assert not exchanges.is_running()
        trainer.run(ONE)
        assert trainer.value("w") == [[-2.0]]
        exchanges.start()
        trainer.run(ONE)
        exchanges.stop()
        assert made.value("w") == [[-3.0]]
        made.end()


def test_mistakes_are_told() -> None:
    with pytest.raises(ArgumentError, match="program must be a Program, got str"):
        Communicator("main", DistributedMode.ASYNC)
    with pytest.raises(ArgumentError, match="mode must be one of DistributedMode, got 'ASYNC'"):
        Communicator(fluid.Program(), "ASYNC")
    with pytest.raises(ArgumentError, match="kwargs must have push_vars, trainers, push_nums"):
        Communicator(fluid.Program(), DistributedMode.GEO)
    with pytest.raises(ArgumentError, match="communicator_send_queue_size must be a number of 1 at least, got '0'"):
        Communicator(fluid.Program(), DistributedMode.ASYNC, envs={"communicator_send_queue_size": "0"})
    made = Communicator(fluid.Program(), DistributedMode.ASYNC)
    with pytest.warns(UserWarning, match=r"Communicator.stop: it is not running"):
        made.stop()
    made.start()
    with pytest.warns(UserWarning, match=r"Communicator.start: it is running already"):
        made.start()
    made.stop()


def test_two_communicators_do_not_run_at_a_time() -> None:
    with job(ones, lambda: config(DistributedMode.ASYNC), 1, 1) as made:
        trainer = made.trainer()
        trainer.start()
        first = communicator(trainer, DistributedMode.ASYNC)
        first.start()
        with pytest.raises(EnforceNotMet, match="another Communicator is running in this process"):
            communicator(trainer, DistributedMode.ASYNC).start()
        first.stop()
        made.end()
