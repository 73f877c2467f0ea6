"""What embeddings of servers ask for, and what they do with ids that are out of the ordinary."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core.errors import ValueRangeError
from refluid.core.warn import reset
from refluid.distributed.server.peer import Peer
from tests.distributed.server.test_once import until
from tests.distributed.server.threads import together

SLOTS = 6


def slots(distributed=False, tables=SLOTS, size=2000, optimizer=None):
    """Slots of ids, each with a table of its own or all with one; the guess is the sum of their rows."""
    found = []
    for number in range(SLOTS):
        ids = layers.data(f"slot{number}", [1], dtype="int64")
        begin = fluid.initializer.Constant(0.5)
        attr = fluid.ParamAttr(name=f"table{number % tables}", initializer=begin)
        found.append(layers.embedding(ids, [size, 8], is_sparse=size > 4, is_distributed=distributed, param_attr=attr))
    guess = layers.reduce_sum(layers.concat(found, 1), dim=1)
    loss = layers.mean(guess)
    (optimizer or fluid.optimizer.SGD(1.0)).minimize(loss)
    return guess, loss


def feed(*ids):
    return {f"slot{number}": np.array(ids, "int64").reshape(-1, 1) for number in range(SLOTS)}


@pytest.mark.parametrize("kind", [{}, {"tables": 1, "size": 3000}, {"distributed": True, "tables": 1}])
def test_all_slots_of_a_step_are_one_request_to_every_server(kind, monkeypatch):
    asked, ask = [], Peer.ask
    monkeypatch.setattr(
        Peer, "ask", lambda self, kind, *a, **more: asked.append((kind, self.endpoint)) or ask(self, kind, *a, **more)
    )

    def work(role):
        asked.clear()
        for _ in range(3):
            role.run(role.main, feed=feed(1, 2, 1500, 1501), fetch_list=[role.made[1]])
        return list(asked)

    (found,) = together(lambda: slots(**kind), work, trainers=1)
    looked_up = [endpoint for kind, endpoint in found if kind == "rows"]
    assert len(looked_up) == 3 * 2 and len(set(looked_up)) == 2
    assert len(found) == 2 * len(looked_up)  # and one push


def test_a_lookup_table_that_names_its_servers_asks_them():
    def work(role):
        role.run(role.main, feed=feed(1, 2), fetch_list=[role.made[1]])
        remote = next(op for op in role.main.global_block().ops if op.type == "distributed_lookup_table")
        test = role.main.clone(for_test=True)
        block = test.global_block()
        block.ops = [op for op in block.ops if op.type == "distributed_lookup_table"]
        out = block.create_var(name="out", shape=[-1, 8], dtype="float32")
        block.append_op("lookup_table", {"W": remote.input("W"), "Ids": remote.input("Ids")[:1]}, {"Out": [out]}, {
            "remote_prefetch": True, "table_names": remote.attr("table_names"), "epmap": remote.attr("endpoints"),
            "height_sections": remote.attr("height_sections"), "padding_idx": 9,
        })  # fmt: skip
        return role.run(test, feed=feed(1, 9, 3), fetch_list=[out])[0]

    (found,) = together(lambda: slots(tables=1, size=3000), work, trainers=1)
    np.testing.assert_allclose(found[:, 0], [0.5 - SLOTS / 2, 0, 0.5], rtol=1e-5)


@pytest.mark.parametrize("wrong", [-1, 2000])
def test_ids_outside_of_a_parameter_fail_in_the_trainer_alone(wrong):
    def work(role):
        with pytest.raises(ValueRangeError) as failure:
            role.run(role.main, feed=feed(3, wrong), fetch_list=[role.made[1]])
        text = str(failure.value)
        assert f"distributed_lookup_table: Ids has {wrong}, but W has rows 0 to 1999" in text
        assert "table_names=['table5.block0'" in text or "slot5" in text or "slot0" in text
        return [role.run(role.main, feed=feed(3, 4), fetch_list=[role.made[1]])[0].item() for _ in range(2)]

    ((before, after),) = together(slots, work, trainers=1)
    assert before == 8 * SLOTS * 0.5 and after < before


def test_a_distributed_table_takes_any_id_and_says_once_that_it_grows():
    ids = [0, 1999, 2000, -1, -(2**63), 2**63 - 1]

    def work(role):
        for _ in range(2):
            role.run(role.main, feed=feed(*ids), fetch_list=[role.made[1]])
        guess = role.run(role.main.clone(for_test=True), feed=feed(*ids, 5), fetch_list=[role.made[0]])[0]
        held = role.scope.find_var("table0").get_tensor()
        assert not held._is_initialized() and held.shape() == [2000, 8]  # the table never comes here
        return guess

    reset()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        (guess,) = together(lambda: slots(distributed=True, tables=1), work, trainers=1)
    # Every id is in all slots: its gradient is SLOTS / len(ids) per element and step.
    trained = 8 * SLOTS * (0.5 - 2 * SLOTS / len(ids))
    np.testing.assert_allclose(guess, [trained] * len(ids) + [8 * SLOTS * 0.5], rtol=1e-5)
    grows = [str(one.message) for one in told if "grows" in str(one.message)]
    assert grows == ["table0 is declared with 2000 rows and grows for ids outside of them"]


@pytest.mark.parametrize("make", [
    lambda: fluid.optimizer.Momentum(0.1, 0.9), lambda: fluid.optimizer.DecayedAdagrad(0.1),
    lambda: fluid.optimizer.Adamax(0.1), lambda: fluid.optimizer.RMSProp(0.1, centered=True),
    lambda: fluid.optimizer.Ftrl(0.1),
])  # fmt: skip
def test_every_optimizer_of_rows_trains_a_distributed_table(make):
    """All rows are met in every step, so that one process does the same, but for the sum of gradients."""

    def work(role):
        return [role.run(role.main, feed=feed(1, 2, 3, 4), fetch_list=[role.made[1]])[0].item() for _ in range(3)]

    (found,) = together(lambda: slots(True, 1, optimizer=make()), work, trainers=1)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = slots(False, 1, size=4, optimizer=make())[1]
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    exe.run(startup, scope=scope)
    expected = [exe.run(main, feed=feed(0, 1, 2, 3), fetch_list=[loss], scope=scope)[0].item() for _ in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("distributed", [False, True])
def test_rows_are_updated_when_they_arrive_in_asynchronous_training(distributed):
    def work(role):
        given = feed(1, 2, 1500, 1501)
        return [role.run(role.main, feed=given, fetch_list=[role.made[1]])[0].item() for _ in range(4)]

    (found,) = together(lambda: slots(distributed, 1), work, trainers=1, sync=False)
    # A row is in all slots of one of four examples: SLOTS / 4 per element and step.
    assert found == [8 * SLOTS * (0.5 - step * SLOTS / 4) for step in range(4)]


def test_trainers_that_do_not_wait_for_one_another_lose_no_update_of_a_table():
    def work(role):
        for _ in range(5):
            role.run(role.main, feed=feed(role.index, 7), fetch_list=[role.made[1]])
        return role

    def last(role):
        work(role)
        if role.index:
            return
        test, given = role.main.clone(for_test=True), feed(7)
        expected = 8 * SLOTS * (0.5 - 10 * SLOTS / 2)  # when the other one has made its steps, too
        until(lambda: role.run(test, feed=given, fetch_list=[role.made[0]])[0].item() == expected)

    together(lambda: slots(True, 1), last, sync=False)


def test_a_table_takes_the_memory_of_the_rows_that_were_met():
    """10^11 rows of 16 would be 6.4 TB; they are declared, and three of them trained."""
    ids = [0, 10**11 - 1, 12345678901]

    def work(role):
        return [role.run(role.main, feed=feed(*ids), fetch_list=[role.made[1]])[0].item() for _ in range(3)]

    found = together(lambda: slots(True, 1, size=10**11, optimizer=fluid.optimizer.Adagrad(0.1)), work)
    assert found[0] == found[1] and found[0][0] == 8 * SLOTS * 0.5 > found[0][1] > found[0][2]


def test_data_sets_train_and_are_evaluated_with_rows_of_servers(tmp_path):
    (tmp_path / "data").write_text(("1 3 " * SLOTS).strip() + "\n")

    def data_set(role):
        made = fluid.DatasetFactory().create_dataset("QueueDataset")
        made.set_batch_size(1)
        made.set_filelist([str(tmp_path / "data")])
        made.set_use_var([role.main.global_block().var(f"slot{number}") for number in range(SLOTS)])
        return made

    def work(role):
        exe, test = fluid.Executor(fluid.CPUPlace()), role.main.clone(for_test=True)
        exe.train_from_dataset(role.main, data_set(role), scope=role.scope)
        found = role.run(test, feed=feed(3), fetch_list=[role.made[0]])[0]
        exe.infer_from_dataset(test, data_set(role), scope=role.scope)
        return [*found, *role.run(test, feed=feed(3), fetch_list=[role.made[0]])[0]]

    (found,) = together(lambda: slots(True, 1), work, trainers=1)
    assert found == [8 * SLOTS * (0.5 - SLOTS)] * 2  # trained once; evaluation changes nothing
