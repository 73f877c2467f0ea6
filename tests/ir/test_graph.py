"""Graphs over programs: nodes as 1.8.5 numbers them, rewriting, and the way back."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.framework import IrGraph, IrOpNode, IrVarNode


@pytest.fixture
def trained():
    """A small network with its optimizer: the graph of its program has 56 nodes in 1.8.5."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3, 8, 8])
        conv = fluid.layers.conv2d(x, 4, 3, act="relu")
        loss = fluid.layers.mean(fluid.layers.fc(conv, 3))
        main.global_block().create_var(name="unused", shape=[3], dtype="float32")
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    return main, startup, loss


def graph_of(program, **options):
    return IrGraph(core.Graph(program.desc), **options)


def by_name(nodes, name):
    return [node for node in sorted(nodes, key=lambda node: node.id()) if node.name() == name]


def test_nodes_have_the_numbers_of_1_8_5(trained):
    graph = graph_of(trained[0])
    assert len(graph.all_nodes()) == 56
    assert [node.id() for node in graph.topology_sort()] == [
        0, 4, 7, 9, 12, 15, 17, 19, 21, 24, 27, 29, 32, 34, 39, 43, 47
    ]  # fmt: skip
    assert graph.graph_num() == 2  # the rest, and the variable that nobody uses
    assert len(by_name(graph.all_persistable_nodes(), "fc_0.w_0")) == 2  # read by mul, written by momentum


def test_what_reads_a_parameter_runs_before_what_updates_it(trained):
    graph = graph_of(trained[0])
    controls = [(n.inputs[0].name(), n.outputs[0].name()) for n in graph.all_var_nodes() if n.is_ctrl_var()]
    assert sorted(controls) == [
        ("conv2d", "momentum"), ("elementwise_add", "momentum"), ("elementwise_add", "momentum"), ("mul", "momentum")
    ]  # fmt: skip


def test_a_graph_is_a_program_again_that_computes_the_same(trained):
    main, startup, loss = trained
    feed = {"x": np.random.RandomState(0).rand(2, 3, 8, 8).astype("float32")}
    answers = []
    for program in (main, graph_of(main).to_program(), graph_of(main).clone().to_program()):
        assert [op.type for op in program.global_block().ops] == [op.type for op in main.global_block().ops]
        scope = fluid.Scope()
        exe = fluid.Executor()
        startup.random_seed = 3
        with fluid.scope_guard(scope):
            exe.run(startup)
            answers.append([exe.run(program, feed=feed, fetch_list=[loss.name])[0] for _ in range(3)])
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_the_program_of_a_graph_stays_as_it_is(trained):
    main = trained[0]
    before = str(main)
    graph = graph_of(main)
    (relu,) = by_name(graph.all_op_nodes(), "relu")
    relu.set_type("tanh")
    relu.set_attr("note", 3)
    graph.safe_remove_nodes(by_name(graph.all_op_nodes(), "momentum"))
    assert str(main) == before
    assert "tanh" in [op.type for op in graph.to_program().global_block().ops]


def test_an_operator_put_into_a_graph_runs(trained):
    main, startup, loss = trained
    graph = graph_of(main.clone(for_test=True), for_test=True)
    (pred,) = by_name(graph.all_var_nodes(), "fc_0.tmp_1")
    (mean,) = pred.outputs
    doubled = graph.create_var_node("doubled", pred.type(), pred.shape(), pred.dtype())
    scale = graph.create_op_node("scale", {"scale": 2.0}, {"X": pred}, {"Out": doubled})
    graph.link_to(pred, scale)
    graph.link_to(scale, doubled)
    graph.update_input_link(pred, doubled, mean)
    program = graph.to_program()
    assert [op.type for op in program.global_block().ops][-2:] == ["scale", "mean"]
    assert isinstance(mean, IrOpNode) and isinstance(doubled, IrVarNode) and graph.is_test()

    exe = fluid.Executor()
    exe.run(startup)
    feed = {"x": np.ones((2, 3, 8, 8), "float32")}
    before, after = (exe.run(p, feed=feed, fetch_list=[loss.name])[0] for p in (main.clone(for_test=True), program))
    np.testing.assert_allclose(after, 2 * before, rtol=1e-6)


def test_a_compiled_program_takes_a_graph(trained):
    main, startup, loss = trained
    exe = fluid.Executor()
    exe.run(startup)
    compiled = fluid.CompiledProgram(graph_of(main).graph).with_data_parallel(loss_name=loss.name)
    feed = {"x": np.ones((2, 3, 8, 8), "float32")}
    first, second = (exe.run(compiled, feed=feed, fetch_list=[loss.name])[0] for _ in range(2))
    assert second.mean() < first.mean()


def test_a_circle_is_found():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fluid.layers.relu(fluid.layers.relu(fluid.data("x", [2])))
    graph = graph_of(main)
    assert not graph.has_circle()
    first, second = sorted(graph.all_op_nodes(), key=lambda node: node.id())
    graph.link_to(second.outputs[0], first)
    assert graph.has_circle()


def test_nodes_of_another_graph_are_refused(trained):
    one, other = graph_of(trained[0]), graph_of(trained[0])
    node, op = next(iter(one.all_var_nodes())), next(iter(other.all_op_nodes()))
    with pytest.raises(ValueError, match="link_to: .* is not a node of this graph"):
        one.link_to(node, op)
    with pytest.raises(TypeError, match=r"IrGraph: graph must be a core\.Graph, got Program"):
        IrGraph(trained[0])


def test_a_graph_is_drawn_with_its_marked_nodes(trained, tmp_path, capsys):
    graph = graph_of(trained[0])
    graph.draw(str(tmp_path / "new"), "net", marked_nodes=by_name(graph.all_op_nodes(), "relu"))
    text = (tmp_path / "new" / "net.dot").read_text()
    assert text.count("yellow") == 1 and "__control_var" not in text and "fc_0.w_0" in text
    assert "Total ops num = 17." in capsys.readouterr().out


def test_passes_have_names(trained, tmp_path):
    graph = core.Graph(trained[0].desc)
    desc = core.ProgramDesc()
    core.get_pass("graph_to_program_pass").set_not_owned("program", desc).apply(graph)
    assert desc.block(0).op_size() == 17
    with pytest.raises(ValueError, match="graph_viz_pass: set 'graph_viz_path' before"):
        core.get_pass("graph_viz_pass").apply(graph)
    with pytest.raises(core.EnforceNotMet, match="there is no pass 'fc_fuse_pass'; there are graph_to_program_pass"):
        core.get_pass("fc_fuse_pass")


def test_blocks_inside_come_back_from_a_graph():
    """1.8.5 loses them, and its executor crashes."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        count, limit = fluid.layers.fill_constant([1], "int64", 0), fluid.layers.fill_constant([1], "int64", 3)
        x = fluid.layers.fill_constant([1], "float32", 1.0)
        going = fluid.layers.less_than(count, limit)
        loop = fluid.layers.While(going)
        with loop.block():
            fluid.layers.assign(x * 2.0, x)
            fluid.layers.increment(count)
            fluid.layers.less_than(count, limit, cond=going)
    program = graph_of(main).clone().to_program()
    assert program.num_blocks == 2
    assert fluid.Executor().run(program, fetch_list=[x.name])[0].item() == 8.0


def test_the_persistable_variables_of_a_graph_are_saved_and_loaded(trained, tmp_path):
    main, startup, _ = trained
    exe = fluid.Executor()
    exe.run(startup)
    tensor = fluid.global_scope().find_var("fc_0.w_0").get_tensor()
    before = np.array(tensor)
    fluid.io._save_persistable_nodes(exe, str(tmp_path), graph_of(main))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        var.name for var in main.list_vars() if var.persistable
    )
    tensor.set(np.zeros_like(before), fluid.CPUPlace())
    (tmp_path / "fc_0.b_0").unlink()  # what has no file stays as it is
    fluid.io._load_persistable_nodes(exe, str(tmp_path), graph_of(main))
    np.testing.assert_array_equal(fluid.global_scope().find_var("fc_0.w_0").get_tensor(), before)
