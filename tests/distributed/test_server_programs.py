"""Programs for parameter servers where Fluid 1.8.5 fails, or leaves something to say."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.transpiler import HashName
from paddle.fluid.transpiler.ps_dispatcher import PSDispatcher
from refluid.core.errors import ArgumentError, EnforceNotMet

SERVERS = ["127.0.0.1:6174", "127.0.0.1:6175"]


def dense(size=2000, optimizer=None, **options):
    x = layers.data(name="x", shape=[13], dtype="float32")
    y = layers.fc(layers.fc(x, size, **options), 1)
    loss = layers.mean(y)
    (optimizer or fluid.optimizer.SGD(0.1)).minimize(loss)
    return loss


def transpile(config=None, trainers=2, **options):
    made = fluid.DistributeTranspiler(config)
    made.transpile(0, pservers=",".join(SERVERS), trainers=trainers, **options)
    return made


def types(block):
    return [op.type for op in block.ops]


def listen(program):
    return program.global_block().ops[-1]


def shapes(program):
    return {name: tuple(var.shape) for name, var in program.global_block().vars.items()}


def test_servers_get_the_same_programs_before_and_after_the_trainer():
    dense()
    made = transpile()
    before = str(made.get_pserver_programs(SERVERS[1])[0])
    made.get_trainer_program(wait_port=False)
    assert str(made.get_pserver_programs(SERVERS[1])[0]) == before


def test_hash_name_puts_a_gradient_where_its_parameter_is():
    dense()
    made = transpile(split_method=HashName)
    trainer = made.get_trainer_program(wait_port=False)
    sent = {op.attr("op_role_var")[0]: op.attr("epmap") for op in trainer.global_block().ops if op.type == "send"}
    fetched = {op.attr("op_role_var")[0]: op.attr("epmap") for op in trainer.global_block().ops if op.type == "recv"}
    assert sent == fetched
    for endpoint in SERVERS:
        program = made.get_pserver_program(endpoint)
        assert all(name in shapes(program) for name in listen(program).input("X"))


def test_a_dispatcher_of_ones_own_is_asked():
    class Last(PSDispatcher):
        def dispatch(self, varlist):
            return [self._eps[-1]] * len(varlist)

    dense()
    made = transpile(split_method=Last)
    assert listen(made.get_pserver_program(SERVERS[0])).attr("grad_to_block_id") == []
    assert len(listen(made.get_pserver_program(SERVERS[1])).attr("grad_to_block_id")) == 5


def test_two_pieces_on_one_server_have_states_of_their_own():
    class First(PSDispatcher):
        def dispatch(self, varlist):
            return [self._eps[0]] * len(varlist)

    dense(optimizer=fluid.optimizer.Adam(0.1))
    server, startup = transpile(split_method=First).get_pserver_programs(SERVERS[0])
    updates = [op for block in server.blocks for op in block.ops if op.type == "adam"]
    for slot in ("Param", "Grad", "Moment1", "Beta1Pow"):
        assert len({op.input(slot)[0] for op in updates}) == len(updates) == 5
    made = [name for op in startup.global_block().ops for name in op.output_arg_names]
    read = {name for op in updates for slot in op.inputs if slot != "Grad" for name in op.input(slot)}
    assert sorted(made) == sorted(read)
    known = shapes(server)
    assert all(known[op.input("Moment1")[0]] == known[op.input("Param")[0]] for op in updates)


def test_no_dispatcher_is_refused():
    with pytest.raises(ArgumentError, match="PSDispatcher"):
        transpile(split_method=dict)


def test_slice_var_up_of_the_call_keeps_parameters_whole():
    dense()
    made = transpile(slice_var_up=False)
    assert not any(".block" in name for name in shapes(made.get_trainer_program(wait_port=False)))


def test_sync_mode_of_the_call_alone_makes_servers_and_trainers_asynchronous():
    dense()
    made = transpile(sync_mode=False)
    assert "send_barrier" not in types(made.get_trainer_program(wait_port=False).global_block())
    server = made.get_pserver_program(SERVERS[0])
    assert listen(server).attr("distributed_mode") == 2
    assert not any(".trainer_" in name for name in listen(server).input("X"))


def test_decay_of_a_piece_has_the_shape_of_the_piece():
    attr = fluid.ParamAttr(regularizer=fluid.regularizer.L1Decay(1e-3))
    dense(param_attr=attr)
    server = transpile().get_pserver_program(SERVERS[0])
    update = next(block for block in server.blocks if "sign" in types(block))
    assert types(update) == ["sum", "scale", "sign", "scale", "sum", "sgd"]
    sign = update.ops[2]
    known = shapes(server)
    assert known[sign.output("Out")[0]] == known[sign.input("X")[0]] != (13, 2000)


def test_all_states_of_a_piece_have_its_shape():
    dense(optimizer=fluid.optimizer.RMSProp(0.1, centered=True))
    server, startup = transpile().get_pserver_programs(SERVERS[0])
    update = next(
        op for block in server.blocks for op in block.ops if op.type == "rmsprop" and "block" in str(op.inputs)
    )
    known = shapes(server)
    (piece,) = update.input("Param")
    for slot in ("Moment", "MeanSquare", "MeanGrad"):
        (state,) = update.input(slot)
        assert known[state] == known[piece]
        made = next(op for op in startup.global_block().ops if op.output_arg_names == [state])
        assert tuple(made.attr("shape")) == known[piece]


def test_clips_of_an_optimizer_stay_on_trainers():
    dense(20, fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0)))
    made = transpile()
    trainer = made.get_trainer_program(wait_port=False).global_block()
    written = {name for op in trainer.ops for name in op.output_arg_names}
    assert all(name in written for op in trainer.ops if op.type == "send" for name in op.input("X"))
    assert "elementwise_max" in types(trainer)
    assert {op.type for block in made.get_pserver_program(SERVERS[0]).blocks[1:] for op in block.ops} == {
        "sum", "scale", "sgd"
    }  # fmt: skip


def test_given_values_are_cut_like_their_parameter():
    values = np.arange(13 * 2000, dtype="float32").reshape(13, 2000)
    dense(param_attr=fluid.ParamAttr(name="w", initializer=fluid.initializer.NumpyArrayInitializer(values)))
    made = transpile()
    found = {}
    for endpoint in SERVERS:
        _, startup = made.get_pserver_programs(endpoint)
        for op in startup.global_block().ops:
            if op.type == "assign_value":
                found[op.output_arg_names[0]] = np.reshape(op.attr("fp32_values"), op.attr("shape"))
    assert sorted(found) == ["w.block0", "w.block1"]
    np.testing.assert_array_equal(np.concatenate([found["w.block0"], found["w.block1"]]), values)


def test_a_table_that_is_multiplied_too_is_fetched_as_a_whole():
    word = layers.data(name="word", shape=[1], dtype="int64")
    rows = layers.embedding(word, [3000, 16], is_sparse=True, param_attr=fluid.ParamAttr(name="table"))
    table = fluid.default_main_program().global_block().var("table")
    loss = layers.mean(layers.matmul(rows, table, transpose_y=True))
    fluid.optimizer.SGD(0.1).minimize(loss)
    trainer = transpile().get_trainer_program(wait_port=False).global_block()
    assert "distributed_lookup_table" not in types(trainer)
    assert trainer.ops[-1].type == "concat" and trainer.ops[-1].output("Out") == ["table"]


def test_look_ups_of_rows_that_depend_on_rows_are_fetched_one_by_one():
    word = layers.data(name="word", shape=[1], dtype="int64")
    attr = fluid.ParamAttr(name="table")
    first = layers.embedding(word, [3000, 16], is_sparse=True, param_attr=attr)
    best = layers.unsqueeze(layers.argmax(first, axis=1), axes=[1])
    second = layers.embedding(best, [3000, 16], is_sparse=True, param_attr=attr)
    fluid.optimizer.SGD(0.1).minimize(layers.mean(first + second))
    trainer = transpile().get_trainer_program(wait_port=False).global_block()
    assert types(trainer)[:4] == [
        "distributed_lookup_table", "arg_max", "unsqueeze2", "distributed_lookup_table"
    ]  # fmt: skip


def test_more_servers_than_parameters_leave_one_with_nothing_to_do():
    fluid.optimizer.SGD(0.1).minimize(layers.mean(layers.fc(layers.data("x", [3]), 1, bias_attr=False)))
    server, startup = transpile().get_pserver_programs(SERVERS[1])
    assert listen(server).attr("optimize_blocks") == [server.block(1)]
    assert not startup.global_block().ops


def test_an_update_that_needs_whole_parameters_is_refused():
    dense(20, fluid.optimizer.Lamb(0.1))
    with pytest.raises(ValueError, match="the program has lamb"):
        transpile()


@pytest.mark.parametrize("trainers, trainer_id", [("a:1,b:2", 0), (0, 0)])
def test_wrong_numbers_of_trainers_are_told(trainers, trainer_id):
    dense(20)
    with pytest.raises(ArgumentError, match="trainer"):
        fluid.DistributeTranspiler().transpile(trainer_id, trainers=trainers)


def test_a_server_may_have_a_number_that_no_trainer_has():
    dense(20, fluid.optimizer.SGD(layers.exponential_decay(0.1, 2, 0.5)))
    t = fluid.DistributeTranspiler()
    t.transpile(3, pservers=",".join(SERVERS), trainers=2, sync_mode=False)
    server, _ = t.get_pserver_programs(SERVERS[1])
    assert "@LR_DECAY_COUNTER@.trainer_1" in server.global_block().vars


def test_an_unknown_server_is_told():
    dense(20)
    with pytest.raises(ArgumentError, match="no server 10.0.0.1:80"):
        transpile().get_pserver_program("10.0.0.1:80")


def test_asking_for_programs_before_transpile_is_told():
    with pytest.raises(EnforceNotMet, match="call transpile"):
        fluid.DistributeTranspiler().get_trainer_program()


def test_a_clone_of_a_server_runs_blocks_of_its_own():
    dense(20)
    server = transpile().get_pserver_program(SERVERS[0])
    copied = server.clone()
    assert all(block.program is copied for block in listen(copied).attr("optimize_blocks"))
    assert str(copied) == str(server)


def test_a_server_is_saved_and_loaded():
    dense(20)
    server = transpile().get_pserver_program(SERVERS[0])
    back = fluid.Program.parse_from_string(server.desc.serialize_to_string())
    assert [types(block) for block in back.blocks] == [types(block) for block in server.blocks]
    assert listen(back)._blocks_attr_ids("optimize_blocks") == listen(server)._blocks_attr_ids("optimize_blocks")


# -- distributed tables ---------------------------------------------------------------------------------------------


def with_table(optimizer=None, **options):
    words = [layers.data(name=f"word_{i}", shape=[1], dtype="int64") for i in range(2)]
    attr = fluid.ParamAttr(name="table")
    rows = [
        layers.embedding(word, [1001, 8], is_sparse=True, is_distributed=True, param_attr=attr, **options)
        for word in words
    ]
    loss = layers.mean(layers.fc(layers.concat(rows, axis=1), 1))
    (optimizer or fluid.optimizer.SGD(0.1)).minimize(loss)


def test_a_trainer_fetches_rows_of_a_distributed_table_and_sends_their_gradients():
    with_table()
    made = transpile()
    trainer = made.get_trainer_program(wait_port=False).global_block()
    assert types(trainer)[:4] == ["split_ids", "prefetch", "merge_ids", "concat"]
    assert trainer.ops[0].input("Ids") == ["word_0", "word_1"]
    assert trainer.ops[1].input("X") == ["prefetch_compress_in_tmp_0", "prefetch_compress_in_tmp_1"]
    assert trainer.ops[1].output("Out") == ["prefetch_compress_out_tmp_0", "prefetch_compress_out_tmp_1"]
    split = next(i for i, op in enumerate(trainer.ops) if op.type == "split_ids" and i)
    parts = ["table@GRAD.trainer_0.pserver_0", "table@GRAD.trainer_0.pserver_1"]
    assert trainer.ops[split].output("Out") == trainer.ops[split + 1].input("X") == parts
    barrier = next(op for op in trainer.ops if op.type == "send_barrier")
    assert trainer.ops[split + 1].output("Out")[0] in barrier.input("X")
    assert not any("table" in op.output_arg_names for op in trainer.ops)
    startup = fluid.default_startup_program().global_block()
    assert [op.type for op in startup.ops if "table" in op.output_arg_names] == ["fake_init"]
    assert fluid.default_main_program()._distributed_lookup_table == "table"


def test_a_server_updates_looks_up_and_saves_its_rows():
    with_table(padding_idx=7)
    server, startup = transpile().get_pserver_programs(SERVERS[1])
    op = listen(server)
    update = op.attr("optimize_blocks")[-1]
    assert types(update) == ["sum", "sgd"]
    assert update.ops[0].input("X") == ["table@GRAD.trainer_0.pserver_1", "table@GRAD.trainer_1.pserver_1"]
    assert f"table@GRAD:{update.idx}" in op.attr("grad_to_block_id")
    name, number = op.attr("prefetch_var_name_to_block_id")[0].split(":")
    assert name == "prefetch_compress_in_tmp_1"
    look_up = server.block(int(number)).ops[0]
    assert look_up.type == "lookup_sparse_table" and look_up.attr("padding_idx") == 7
    assert types(server.block(op.attr("checkpint_block_id"))) == ["save"]
    assert shapes(server)["table"] == (501, 8)
    made = next(op for op in startup.global_block().ops if op.output_arg_names == ["table"])
    assert made.attr("shape") == [501, 8]


def test_states_of_a_distributed_table_are_rows_too():
    with_table(fluid.optimizer.Adagrad(0.1))
    server = transpile().get_pserver_program(SERVERS[0])
    update = listen(server).attr("optimize_blocks")[-1].ops[-1]
    assert update.type == "adagrad"
    table, moment = (server.global_block().var(update.input(slot)[0]) for slot in ("Param", "Moment"))
    assert table.type == moment.type == fluid.core.VarDesc.VarType.SELECTED_ROWS
    assert tuple(moment.shape) == (501, 8)


def test_asynchronous_servers_take_the_gradient_of_a_table_as_it_comes():
    with_table()
    server = transpile(sync_mode=False).get_pserver_program(SERVERS[0])
    update = listen(server).attr("optimize_blocks")[-1]
    assert types(update) == ["sgd"]
    assert update.ops[0].input("Grad") == ["table@GRAD.pserver_0"]
