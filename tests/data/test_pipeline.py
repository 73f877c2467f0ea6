"""PipelineOptimizer: a program in sections that work on different batches at the same time."""

import numpy as np
import pytest
from tests.leftovers import no_new_thread

from paddle import fluid
from refluid.core.errors import ArgumentError, EnforceNotMet

CPU = fluid.CPUPlace()


@pytest.fixture
def files(tmp_path):
    rows = [f"1 {i % 10} 1 {(3 * i) % 10}\n" for i in range(64)]
    (tmp_path / "rows").write_text("".join(rows))
    return [str(tmp_path / "rows")]


def network(cuts, **options):
    x = fluid.layers.data("x", [1], dtype="int64")
    y = fluid.layers.data("y", [1], dtype="int64")
    start = fluid.initializer.Constant(0.5)
    emb_x = fluid.layers.embedding(x, [10, 2], param_attr=fluid.ParamAttr("embx", start))
    emb_y = fluid.layers.embedding(y, [10, 2], param_attr=fluid.ParamAttr("emby", start, learning_rate=0.9))
    both = fluid.layers.concat([emb_x, emb_y], axis=1)
    hidden = fluid.layers.fc(both, 3, act="tanh", param_attr=fluid.ParamAttr("w0", start), bias_attr=False)
    out = fluid.layers.fc(hidden, 1, param_attr=fluid.ParamAttr("w1", start), bias_attr=False)
    loss = fluid.layers.reduce_mean(out)
    names = {"emb": [emb_x, emb_y], "hidden": [hidden], "loss": [loss]}
    cut_list = [names[cut] for cut in cuts]
    optimizer = fluid.optimizer.PipelineOptimizer(fluid.optimizer.SGD(0.1), cut_list, **options)
    optimizer.minimize(loss)
    return [x, y], loss


def train(cuts, files, batch_size=8, **options):
    """The parameters after an epoch; with a queue of one batch and one batch per epoch nothing is asynchronous."""
    with (
        fluid.program_guard(fluid.Program(), fluid.Program()),
        fluid.unique_name.guard(),
        fluid.scope_guard(fluid.Scope()),
    ):
        inputs, loss = network(cuts, **options)
        exe = fluid.Executor(CPU)
        exe.run(fluid.default_startup_program())
        dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
        dataset.set_use_var(inputs)
        dataset.set_batch_size(batch_size)
        dataset.set_filelist(files)
        exe.train_from_dataset(fluid.default_main_program(), dataset, fetch_list=[loss], print_period=4)
        return {n: np.array(fluid.global_scope().find_var(n).get_tensor()) for n in ("embx", "emby", "w0", "w1")}


def types(section):
    return [op.type for op in section["program"].global_block().ops]


def test_the_sections_are_fluids():
    network(["emb", "hidden", "loss"])
    sections = fluid.default_main_program()._pipeline_opt["section_program_list"]
    assert [types(section) for section in sections] == [
        ["lookup_table", "lookup_table"],
        ["concat", "mul", "tanh"],
        ["mul", "fill_constant", "reduce_mean_grad", "mul_grad", "sgd"],
        ["reduce_mean", "tanh_grad", "mul_grad", "concat_grad", "sgd"],
        ["lookup_table_grad", "lookup_table_grad", "sgd", "scale", "sgd"],
    ]
    assert sections[1]["input_set"] == {"embedding_0.tmp_0", "embedding_1.tmp_0", "w0"}
    assert sections[1]["output_set"] >= {"fc_0.tmp_1", "concat_0.tmp_0"}


@pytest.mark.parametrize("cuts", [[], ["loss"], ["emb", "loss"], ["hidden", "loss"], ["emb", "hidden", "loss"]])
def test_one_batch_through_the_sections_is_a_step_of_the_whole_program(cuts, files):
    for name, value in train([], files, batch_size=64).items():
        assert np.allclose(train(cuts, files, batch_size=64)[name], value, atol=1e-6), name


def test_batches_go_through_sections_of_several_threads_and_all_arrive(files, capsys):
    with no_new_thread():
        found = train(["emb", "hidden", "loss"], files, queue_size=2, concurrency_list=[2, 1, 3, 1, 2])
    assert all(np.isfinite(value).all() for value in found.values())
    moved = train([], files)
    assert np.allclose(found["w1"], moved["w1"], atol=0.05)  # gradients come later, but all come
    assert capsys.readouterr().out.count("reduce_mean_0.tmp_0\treduce") == 4  # twice in either training


def test_what_a_section_raises_ends_the_training(tmp_path):
    (tmp_path / "bad").write_text("1 3 1 77\n" * 200)
    with no_new_thread(), pytest.raises(EnforceNotMet, match="77"):
        train(["emb", "loss"], [str(tmp_path / "bad")], queue_size=1)


def test_lists_that_do_not_fit_the_sections_are_told():
    with pytest.raises(ArgumentError, match=r"place_list must have one entry for each of the 3 sections.*got 2"):
        network(["emb", "loss"], place_list=[CPU, CPU])


def test_the_imperative_mode_is_told():
    with fluid.dygraph.guard(), pytest.raises(EnforceNotMet, match="it works on programs"):
        loss = fluid.layers.reduce_sum(fluid.dygraph.to_variable(np.ones(2, "float32")))
        fluid.optimizer.PipelineOptimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
