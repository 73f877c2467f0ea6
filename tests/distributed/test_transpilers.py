"""Programs rewritten for several processes: names, operators and attributes as 1.8.5 has them."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.transpiler import HashName, RoundRobin, collective
from paddle.fluid.transpiler.details import UnionFind, find_op_by_input_arg, find_op_by_output_arg, wait_server_ready
from paddle.fluid.transpiler.distribute_transpiler import same_or_split_var, slice_variable
from refluid.core.errors import EnforceNotMet

ENDPOINTS = ["127.0.0.1:6170", "127.0.0.1:6171"]


def network():
    x = fluid.data("x", [None, 3])
    y = fluid.layers.fc(fluid.layers.fc(x, 4, act="relu"), 1)
    loss = fluid.layers.mean(y)
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss


def shown(program):
    """Operators with their outputs and rings."""
    found = []
    for op in program.global_block().ops:
        ring = f" ring {op.attrs['ring_id']}" if "ring_id" in op.attrs else ""
        found.append(" ".join([op.type, *op.output_arg_names]) + ring)
    return found


def test_gradients_are_summed_where_they_arise():
    network()
    collective.GradAllReduce(2).transpile(None, None, 0, ENDPOINTS, ENDPOINTS[0], False)
    # recorded from 1.8.5
    assert shown(fluid.default_main_program())[6:] == [
        "fill_constant mean_0.tmp_0@GRAD",
        "scale mean_0.tmp_0@GRAD",
        "mean_grad fc_1.tmp_1@GRAD",
        "elementwise_add_grad fc_1.tmp_0@GRAD fc_1.b_0@GRAD",
        "c_sync_calc_stream fc_1.b_0@GRAD",
        "c_allreduce_sum fc_1.b_0@GRAD ring 1",
        "mul_grad fc_0.tmp_2@GRAD fc_1.w_0@GRAD",
        "c_sync_calc_stream fc_1.w_0@GRAD",
        "c_allreduce_sum fc_1.w_0@GRAD ring 0",
        "relu_grad fc_0.tmp_1@GRAD",
        "elementwise_add_grad fc_0.tmp_0@GRAD fc_0.b_0@GRAD",
        "c_sync_calc_stream fc_0.b_0@GRAD",
        "c_allreduce_sum fc_0.b_0@GRAD ring 1",
        "mul_grad fc_0.w_0@GRAD",
        "c_sync_calc_stream fc_0.w_0@GRAD",
        "c_allreduce_sum fc_0.w_0@GRAD ring 0",
        "c_sync_comm_stream fc_1.b_0@GRAD ring 0",
        "c_sync_comm_stream fc_1.b_0@GRAD ring 1",
        "sgd fc_0.b_0",
        "sgd fc_0.w_0",
        "sgd fc_1.b_0",
        "sgd fc_1.w_0",
    ]
    assert shown(fluid.default_startup_program())[-10:] == [
        "c_gen_nccl_id nccl_id_0",
        "c_comm_init ring 0",
        "c_gen_nccl_id nccl_id_1",
        "c_comm_init ring 1",
        "c_broadcast fc_0.w_0 ring 0",
        "c_broadcast fc_0.b_0 ring 1",
        "c_broadcast fc_1.w_0 ring 0",
        "c_broadcast fc_1.b_0 ring 1",
        "c_sync_comm_stream fc_1.b_0 ring 0",
        "c_sync_comm_stream fc_1.b_0 ring 1",
    ]


def test_nccl2_adds_the_meeting_alone():
    network()
    before = shown(fluid.default_main_program())
    config = fluid.DistributeTranspilerConfig()
    config.mode = "nccl2"
    config.nccl_comm_num = 2
    fluid.DistributeTranspiler(config=config).transpile(
        trainer_id=1, trainers=",".join(ENDPOINTS), current_endpoint=ENDPOINTS[1]
    )
    assert shown(fluid.default_main_program()) == before
    startup = fluid.default_startup_program().global_block()
    assert startup.ops[-1].type == "gen_nccl_id" and startup.ops[-1].attr("trainers") == ENDPOINTS
    assert startup.has_var("NCCLID") and startup.has_var("NCCLID_1")
    assert fluid.default_main_program()._trainers_endpoints == ENDPOINTS


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"trainer_id": 2}, "trainer id must be from 0 to 1"),
        ({"trainer_id": 0, "current_endpoint": "127.0.0.1:9"}, "which is not among"),
        ({"trainer_id": 0, "current_endpoint": ENDPOINTS[1]}, "trainer 0 listens at 127.0.0.1:6170, but this process"),
        ({"trainer_id": 0, "trainers": 2}, "trainers are endpoints separated by commas, got int 2"),
    ],
)
def test_what_cannot_be_met_is_told(arguments, says):
    config = fluid.DistributeTranspilerConfig()
    config.mode = "nccl2"
    given = {"trainers": ",".join(ENDPOINTS), "current_endpoint": ENDPOINTS[0], **arguments}
    with pytest.raises(EnforceNotMet, match=says):
        fluid.DistributeTranspiler(config).transpile(**given)


def test_variables_are_dealt_out_to_servers():
    servers = ["a:1", "b:2"]
    names = ["w", "b", "v"]
    turns = RoundRobin(servers)
    assert turns.dispatch(names) == ["a:1", "b:2", "a:1"] and turns.dispatch(["u"]) == ["b:2"]
    turns.reset()
    assert turns.dispatch(["u"]) == ["a:1"]
    assert HashName(servers).dispatch(names) == HashName(servers).dispatch(names)
    var = fluid.layers.create_parameter([100, 1000], "float32", name="w")
    assert slice_variable([var], 3, 8192) == ["w:0:34000", "w:1:34000", "w:2:32000"]
    assert slice_variable([var], 30, 8192)[0] == "w:0:9000"
    assert same_or_split_var("w.block1", "w") and not same_or_split_var("wide", "w")


def test_small_tools():
    sets = UnionFind("abcd")
    sets.union("a", "b")
    sets.union("b", "c")
    assert sets.is_connected("a", "c") and not sets.is_connected("a", "d") and sets.find("z") == -1
    network()
    block = fluid.default_main_program().global_block()
    assert (find_op_by_input_arg(block, "x"), find_op_by_output_arg(block, "mean_0.tmp_0")) == (0, 5)
    with pytest.raises(TypeError, match="endpoints must be a list"):
        wait_server_ready("127.0.0.1:1")


def test_settings_that_exclude_one_another():
    config = fluid.DistributeTranspilerConfig()
    with pytest.raises(ValueError, match="True requires sync_mode=False"):
        config.runtime_split_send_recv = True
    config.sync_mode = False
    config.runtime_split_send_recv = True
    with pytest.raises(ValueError, match="sync_mode=True"):
        config.sync_mode = True
    assert np.all(config.min_block_size == 8192)
