"""Programs as text and drawings for graphviz: fluid.debugger, fluid.graphviz, fluid.net_drawer."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import debugger, graphviz, net_drawer


@pytest.fixture
def trained():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 2], lod_level=1)
        loss = fluid.layers.mean(fluid.layers.fc(x, 1) + fluid.layers.fill_constant([1], "float32", 3.0))
        fluid.optimizer.SGD(0.1).minimize(loss)
        yield main, startup, loss


def test_a_program_is_printed_line_by_line_without_its_backward_part(trained):
    main, _, _ = trained
    text = debugger.pprint_program_codes(main)
    assert text.startswith("// block-0  parent--1\n// variables\n")
    assert "LoDTensor x (level=1, tensor(type=float32, shape=[-1, 2]))" in text
    assert "fc_0.tmp_0 = mul(X=x, Y=fc_0.w_0) [{x_num_col_dims=1,y_num_col_dims=1," in text
    assert "fill_constant_0.tmp_0 = 3.0 [shape=[1]]" in text and "@GRAD" not in text
    assert "mul_grad" in debugger.pprint_block_codes(main.global_block(), show_backward=True)


def test_a_block_is_drawn_with_what_is_to_be_seen_marked(trained, tmp_path):
    path = tmp_path / "block.dot"
    debugger.draw_block_graphviz(trained[0].global_block(), highlights=["fc_0.w"], path=str(path))
    drawn = path.read_text()
    assert drawn.startswith("digraph G {") and drawn.count("orange") >= 2 and "<B>mul</B>" in drawn


def test_a_net_is_drawn_from_both_programs(trained, tmp_path):
    main, startup, _ = trained
    graph = net_drawer.draw_graph(startup, main, filename=str(tmp_path / "net.gv"))
    assert 'label="X(x)"' in (tmp_path / "net.gv").read_text() and len(graph.nodes) > len(main.global_block().ops)


def test_graphs_are_made_by_hand():
    graph = graphviz.Graph("net", rankdir="LR")
    rank = graph.rank_group("same", 0)
    a, b = graph.node('"a"', "n", rank=rank), graph.node('"b"', "n", shape="box")
    graph.edge(a, b, color="red")
    lines = graph.code().splitlines()
    assert lines[:3] == ["digraph G {", 'title = "net"', 'rankdir="LR";'] and f"{{rank=same;{a.name}}}" in lines
    assert f'{a.name} -> {b.name} [color="red"]' in lines


def test_a_run_that_meets_nan_is_told_and_its_parameters_are_written(trained, tmp_path, monkeypatch, capsys):
    main, startup, loss = trained
    monkeypatch.chdir(tmp_path)
    exe = fluid.Executor()
    exe.run(startup)
    debugger.prepare_fast_nan_inf_debug(main)
    good = fluid.create_lod_tensor(np.ones((2, 2), "float32"), [[2]], fluid.CPUPlace())
    assert debugger.run_fast_nan_inf_debug(exe, main, {"x": good}, [loss])[0].shape == (1,)
    bad = fluid.create_lod_tensor(np.full((2, 2), np.nan, "float32"), [[2]], fluid.CPUPlace())
    assert debugger.run_fast_nan_inf_debug(exe, main, {"x": bad}, [loss]) is None
    assert "dumping a core into" in capsys.readouterr().out and list(tmp_path.glob("core*.pdckpt"))
