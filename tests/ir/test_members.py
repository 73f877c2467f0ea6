"""Members that begin with an underscore and that public tools use. What they give was seen in 1.8.5."""

import pytest

import paddle.fluid as fluid
from paddle.fluid import layers


def network():
    x = fluid.data("x", [None, 4])
    dropped = layers.dropout(layers.fc(x, 3, name="a"), 0.5)
    return dropped, layers.mean(layers.fc(dropped, 1, name="b"))


def test_roles_and_counts_of_a_program():
    program = fluid.default_main_program()
    assert (int(program._current_role), program._seed, program._appending_grad_times) == (0, 0, 0)
    program._current_role = 2
    assert layers.fill_constant([1], "float32", 1.0).op.attr("op_role") == 2
    program._current_role = 0
    fluid.backward.append_backward(network()[1])
    assert program._appending_grad_times == 1 and program._get_desc() is not None


def test_a_program_is_pruned_to_what_follows_its_feeds():
    dropped, loss = network()
    program = fluid.default_main_program()
    pruned = program._prune_with_input([dropped.name], [loss])
    assert [op.type for op in pruned.global_block().ops] == ["mul", "elementwise_add", "mean"]
    assert [op.type for op in program.global_block()._slice_ops(1, 3)] == ["elementwise_add", "dropout"]


def test_a_program_for_inference_reads_no_data():
    reader = layers.py_reader(4, [(-1, 4)], ["float32"])
    layers.dropout(layers.fc(layers.read_file(reader), 2), 0.5)
    made = fluid.default_main_program()._inference_optimize(prune_read_op=True)
    assert [op.type for op in made.global_block().ops] == ["mul", "elementwise_add", "dropout"]
    assert made.global_block().ops[-1].attr("is_test")


def test_parameters_are_marked_after_those_of_another_program():
    network()
    main = fluid.default_main_program()
    main.global_block().var("a.w_0").trainable = False
    copied = fluid.Program.parse_from_string(main.desc.serialize_to_string())
    copied._copy_param_info_from(main)
    copied._sync_with_cpp()
    assert {p.name: p.trainable for p in copied.all_parameters()}["a.w_0"] is False
    assert all(p.block is copied.global_block() for p in copied.all_parameters())
    with pytest.raises(TypeError, match="expected a Program, got int"):
        copied._copy_param_info_from(3)


def test_blocks_roles_and_attributes_of_operators():
    one = layers.fill_constant([1], "float32", 1.0)
    layers.cond(layers.fill_constant([1], "bool", True), lambda: one + 1, lambda: one)
    block = fluid.default_main_program().global_block()
    op = next(op for op in block.ops if op.type == "conditional_block")
    assert op._block_attr_id("sub_block") == op._block_attr("sub_block").idx == 1
    assert op._has_kernel("mul") and not op._has_kernel("while") and not op._is_optimize_op()
    op._set_attr("note", 3)
    op._remove_attr("note")
    assert not op.has_attr("note")
    fluid.optimizer.SGD(0.1).minimize(network()[1])
    assert block.ops[-1]._is_optimize_op()


def test_notes_on_variables_and_compiled_programs():
    x = fluid.data("x", [None, 4])
    x._set_info("key", 5)
    assert (x._get_info("key"), x._get_info("other"), x._stop_gradient) == (5, None, True)
    plain = fluid.CompiledProgram(fluid.default_main_program())
    places = fluid.cpu_places(2)
    parallel = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel("loss", places=places)
    assert (plain._is_data_parallel, parallel._is_data_parallel, plain._is_inference) == (False, True, False)
    assert (parallel._loss_name, len(parallel._places), plain._places) == ("loss", 2, None)
    assert parallel._compile(fluid.global_scope(), places[0]) is parallel
    assert len(plain._get_places(places[0], None)) == len(fluid.cpu_places())
