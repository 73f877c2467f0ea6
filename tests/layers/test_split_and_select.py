"""The parts that IfElse, Switch and cond are made of, called by themselves as programs of 1.4 and 1.5 do."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.layers.device import get_places

X = np.arange(6, dtype="float32").reshape(3, 2)
MASK = np.array([[True], [False], [True]])


@pytest.fixture(autouse=True)
def main():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        yield main


def run(feed, fetch_list, **options):
    return fluid.Executor().run(feed=feed, fetch_list=fetch_list, **options)


def test_rows_are_split_by_a_mask_and_merged_again_with_their_gradients(main):
    x, mask = fluid.data("x", [None, 2]), fluid.data("mask", [None, 1], "bool")
    x.stop_gradient = False
    yes, no = fluid.layers.split_lod_tensor(x, mask)
    assert (yes.name, no.name) == ("split_lod_tensor_0.tmp_0", "split_lod_tensor_0.tmp_1")
    out = fluid.layers.merge_lod_tensor(yes * 10.0, no * -1.0, x, mask)
    (grad,) = fluid.gradients(out, x)
    yes_rows, no_rows, rows, slopes = run({"x": X, "mask": MASK}, [yes, no, out, grad])
    assert yes_rows.tolist() == [[0, 1], [4, 5]] and no_rows.tolist() == [[2, 3]]
    assert rows.tolist() == [[0, 10], [-2, -3], [40, 50]]
    assert slopes.tolist() == [[10, 10], [-1, -1], [10, 10]]


@pytest.mark.parametrize("count", [2, 3])
def test_one_of_several_variables_is_written_and_the_others_stay(main, count):
    x, number = fluid.data("x", [3, 2]), fluid.data("number", [1], "int32")
    x.stop_gradient = False
    outs = [fluid.layers.fill_constant([1], "float32", float(i)) for i in range(count)]
    written = fluid.layers.select_output(x * 2.0, outs, number)
    read = fluid.layers.select_input(written, number)
    assert written is outs and read.name == "_generated_var_0" and read.shape == (1,)
    for chosen in range(count):
        found = run({"x": X, "number": np.array([chosen], "int32")}, [read, *outs])
        assert found[0].tolist() == (2 * X).tolist()
        assert [v.tolist() for v in found[1:]] == [(2 * X).tolist() if i == chosen else [i] for i in range(count)]


def test_select_input_and_select_output_work_in_the_imperative_mode():
    with fluid.dygraph.guard():
        number = fluid.dygraph.to_variable(np.array([1], "int32"))
        a, b = (fluid.dygraph.to_variable(np.full(2, v, "float32")) for v in (1, 2))
        assert fluid.layers.select_input([a, b], number) is b
        fluid.layers.select_output(a, [a, b], number)
        assert b.numpy().tolist() == [1, 1]


def test_a_conditional_block_runs_if_its_inputs_have_rows(main):
    x, mask = fluid.data("x", [None, 2]), fluid.data("mask", [None, 1], "bool")
    out = fluid.layers.create_global_var([1], 0.0, "float32", persistable=True)
    yes, no = fluid.layers.split_lod_tensor(x, mask)
    with fluid.layers.ConditionalBlock([yes, no]).block():
        fluid.layers.assign(fluid.layers.reduce_sum(yes), out)
    (operator,) = [op for op in main.global_block().ops if op.type == "conditional_block"]
    assert operator.input("Cond") == [yes.name, no.name] and operator.attr("is_scalar_condition") is False
    fluid.Executor().run(fluid.default_startup_program())
    assert run({"x": X, "mask": np.zeros_like(MASK)}, [out])[0].tolist() == [0]
    assert run({"x": X, "mask": MASK}, [out])[0].tolist() == [10]


def test_a_conditional_block_of_a_scalar_runs_if_it_is_true(main):
    chosen = fluid.data("chosen", [1], "bool")
    out = fluid.layers.fill_constant([1], "float32", 1.0)
    with fluid.layers.ConditionalBlock([chosen], is_scalar_condition=True).block():
        fluid.layers.assign(out + 1.0, out)
    assert [run({"chosen": np.array([v])}, [out])[0].item() for v in (False, True)] == [1, 2]


def test_a_block_for_testing_runs_as_the_one_for_training(main):
    chosen = fluid.data("chosen", [1], "bool")
    out = fluid.layers.fill_constant([1], "float32", 1.0)
    with fluid.layers.ConditionalBlock([chosen], is_scalar_condition=True).block():
        fluid.layers.assign(out + 1.0, out)
    main.global_block().ops[-1].type = "conditional_block_infer"
    main.touch()
    assert [run({"chosen": np.array([v])}, [out])[0].item() for v in (False, True)] == [1, 2]


def test_variables_go_to_one_file_and_come_back(main, tmp_path):
    x, mask = fluid.data("x", [3, 2]), fluid.data("mask", [3, 1], "bool")
    path = str(tmp_path / "both")
    fluid.layers.save_combine([x, mask], path)
    run({"x": X, "mask": MASK}, [])
    reading = fluid.Program()
    with fluid.program_guard(reading):
        outs = [reading.global_block().create_var(name=name, dtype=kind) for name, kind in
                (("a", "float32"), ("b", "bool"))]  # fmt: skip
        fluid.layers.load_combine(outs, path)
    found = fluid.Executor().run(reading, fetch_list=outs)
    assert found[0].tolist() == X.tolist() and found[1].tolist() == MASK.tolist()


def test_places_are_a_variable_of_the_program(main):
    places = get_places(device_count=2, device_type="CPU")
    assert places.name == "get_places_0.out_0" and places.type == fluid.core.VarDesc.VarType.PLACE_LIST
    run({}, [])


def test_sequences_become_steps_and_sequences_again(main):
    x = fluid.data("x", [None, 1], lod_level=1)
    table = fluid.layers.lod_rank_table(x)
    steps = fluid.layers.lod_tensor_to_array(x, table)
    back = fluid.layers.array_to_lod_tensor(steps, table)
    fed = fluid.create_lod_tensor(np.arange(4, dtype="float32").reshape(4, 1), [[1, 3]], fluid.CPUPlace())
    (found,) = run({"x": fed}, [back], return_numpy=False)
    assert np.array(found).reshape(-1).tolist() == [0, 1, 2, 3]
    assert found.recursive_sequence_lengths() == [[1, 3]]
