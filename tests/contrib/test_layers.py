"""Functions of fluid.contrib.layers at work. Operators and programs are compared with 1.8.5's elsewhere."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib import layers as contrib

layers = fluid.layers
C, A = fluid.initializer.Constant, fluid.initializer.NumpyArrayInitializer


def run(feed, fetches, startup=True):
    exe = fluid.Executor(fluid.CPUPlace())
    if startup:
        exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetches, return_numpy=False)


def ragged(data, *lengths):
    return fluid.create_lod_tensor(np.asarray(data), [list(lengths)], fluid.CPUPlace())


def test_texts_are_matched_convolved_pooled_and_learned():
    x, y = (fluid.data(name, [-1, 1], "int64", lod_level=1) for name in "xy")
    left, right = (layers.embedding(ids, [8, 4], param_attr="table") for ids in (x, y))
    matched, _ = contrib.match_matrix_tensor(left, right, channel_num=3, act="tanh")
    convolved = contrib.var_conv_2d(matched, left, right, 3, 2, filter_size=3, act="relu")
    pooled = contrib.sequence_topk_avg_pooling(convolved, left, right, topks=[1, 3], channel_num=2)
    score = layers.sequence_pool(pooled, "sum")
    loss = layers.mean(layers.square_error_cost(layers.fc(score, 1), fluid.data("label", [-1, 1])))
    fluid.optimizer.Adam(0.05).minimize(loss)
    feed = {"x": ragged([[1], [2], [3]], 2, 1), "y": ragged([[2], [4], [5], [6]], 1, 3),
            "label": np.array([[1.0], [-1.0]], "float32")}  # fmt: skip
    losses = [np.array(run(feed, [loss], startup=i == 0)[0]).item() for i in range(40)]
    assert losses[-1] < 0.05 * losses[0]
    (found,) = run(feed, [pooled], startup=False)
    assert found.recursive_sequence_lengths() == [[2, 1]] and np.array(found).shape == (3, 4)


def test_embeddings_are_summed_in_one_operator_with_sparse_gradients():
    ids = fluid.data("ids", [-1, 1], "int64", lod_level=1)
    table = np.arange(8, dtype="float32").reshape(4, 2)
    out = contrib.fused_embedding_seq_pool(
        ids, [4, 2], is_sparse=True, padding_idx=-1, param_attr=fluid.ParamAttr("t", initializer=A(table))
    )
    fluid.optimizer.SGD(1.0).minimize(layers.reduce_sum(out))
    found, after = run({"ids": ragged([[1], [1], [3], [2]], 3, 1)}, [out, "t"])
    assert np.array(found).tolist() == [[4.0, 6.0], [4.0, 5.0]]
    assert (np.array(after) - table).tolist() == [[0, 0], [-2, -2], [-1, -1], [0, 0]]


def test_functions_of_dense_data_work_in_the_imperative_mode():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([[1.0, -2.0, 3.0]], "float32"))
        assert contrib.fused_elemwise_activation(x, x, "relu,elementwise_add").numpy().tolist() == [[2.0, 0.0, 6.0]]
        assert contrib.partial_concat([x, x], 1, 1).numpy().tolist() == [[-2.0, -2.0]]
        assert contrib.partial_concat(x, -1).numpy().tolist() == [[3.0]]
        assert contrib.partial_sum([x, x], 1).numpy().tolist() == [[-4.0, 6.0]]
        assert sorted(contrib.shuffle_batch(x, seed=2).numpy().ravel().tolist()) == [-2.0, 1.0, 3.0]
        nodes, edges = np.ones((1, 3, 2), "float32"), np.array([[[1, 2], [1, 3]]], "int32")
        to = fluid.dygraph.to_variable
        out = contrib.tree_conv(to(nodes), to(edges), 2, act=None, param_attr=C(1.0), bias_attr=C(0.5))
        assert out.shape == [1, 3, 2, 1] and out.numpy()[0, 1].ravel().tolist() == [2.5, 2.5]


TREE = np.array([[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [9, 1, 0, 0, 0], [7, 2, 1, 0, 0], [8, 2, 1, 0, 0]])


def test_children_of_a_tree():
    x = fluid.data("x", [-1, 1], "int32")
    child, leaf = contrib.tdm_child(x, 5, 2, param_attr=fluid.ParamAttr(initializer=A(TREE)))
    assert child.shape == (-1, 1, 2)
    found = run({"x": np.array([[1], [2], [0]], "int32")}, [child, leaf])
    assert [np.array(f).tolist() for f in found] == [[[[3, 4]], [[0, 0]], [[0, 0]]], [[[1, 1]], [[0, 0]], [[0, 0]]]]


def sampled(**options):
    x = fluid.data("x", [-1, 1], "int32")
    travel, nodes = np.array([[1, 3], [1, 4], [2, 5], [2, 6]]), np.array([[1], [2], [3], [4], [5], [6]])
    return contrib.tdm_sampler(
        x, [1, 2], [2, 4], 4, tree_travel_attr=fluid.ParamAttr(initializer=A(travel)),
        tree_layer_attr=fluid.ParamAttr(initializer=A(nodes)), **options,
    )  # fmt: skip


def test_ways_through_a_tree_with_others_beside_them():
    nodes, labels, masks = sampled()
    assert [n.shape for n in nodes] == [(-1, 2, 1), (-1, 3, 1)]
    found = [np.array(f) for f in run({"x": np.array([[0], [3]], "int32")}, [*nodes, *labels, *masks])]
    assert found[0].tolist() == [[[1], [2]], [[2], [1]]] and found[1][:, 0].tolist() == [[3], [6]]
    assert set(found[1][0, 1:].ravel()) <= {4, 5, 6} and set(found[1][1, 1:].ravel()) <= {3, 4, 5}
    assert found[2].tolist() == [[[1], [0]]] * 2 and found[5].all()


def test_a_seed_draws_the_same():
    whole, _, _ = sampled(output_list=False, output_positive=False, seed=5)
    assert whole.shape == (-1, 3)
    feed = {"x": np.array([[0], [1], [2], [3]] * 4, "int32")}
    first, second = (np.array(run(feed, [whole], startup=i == 0)[0]) for i in range(2))
    assert (first == second).all()


def test_rank_attention_trains_its_weights():
    x, offset = fluid.data("x", [-1, 2]), fluid.data("offset", [-1, 5], "int32")
    out = contrib.rank_attention(x, offset, [8, 3], fluid.ParamAttr("w", C(1.0)), max_rank=2)
    fluid.optimizer.SGD(1.0).minimize(layers.reduce_sum(out))
    feed = {"x": np.array([[1, 2], [3, 4]], "float32"),
            "offset": np.array([[1, 1, 0, 2, 1], [2, 1, 0, 0, 0]], "int32")}  # fmt: skip
    found, w = run(feed, [out, "w"])
    assert np.array(found).tolist() == [[10.0] * 3, [3.0] * 3]
    assert np.array(w)[:, 0].tolist() == [0, -1, -2, -3, 0, -1, 1, 1]


def test_sums_for_metrics_of_clicks_grow_from_batch_to_batch():
    """Numbers from 1.8.5."""
    predicted, label = fluid.data("predicted", [-1, 1]), fluid.data("label", [-1, 1])
    sums = contrib.ctr_metric_bundle(predicted, label)
    feed = {"predicted": np.array([[0.9], [0.2]], "float32"), "label": np.array([[1.0], [0.0]], "float32")}
    run(feed, sums)
    found = [np.array(s).item() for s in run(feed, sums, startup=False)]
    assert np.allclose(found, [0.1, 0.6, 2.2, 2.5215668, 2.0, 4.0], atol=1e-6)


def test_old_places_of_tree_conv():
    assert fluid.layers.tree_conv is contrib.tree_conv is fluid.contrib.tree_conv is contrib.nn.tree_conv


NEEDS = {
    "match_matrix_tensor": [None, 1], "var_conv_2d": [None, None, 1, 1, 1],
    "sequence_topk_avg_pooling": [None, None, [1], 1],
    "fused_embedding_seq_pool": [[4, 2]], "tree_conv": [None, 2], "tdm_child": [4, 2], "tdm_sampler": [[1], [2], 1],
    "fused_elemwise_activation": [None, "relu,elementwise_add"], "partial_concat": [], "partial_sum": [],
    "rank_attention": [None, [9, 2], None], "shuffle_batch": [], "ctr_metric_bundle": [None],
}  # fmt: skip


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("wrong", [None, "x", 3.0, [1.0]], ids=str)
def test_what_is_no_variable_is_refused(name, wrong):
    for imperative in (True, False):
        with fluid.dygraph.guard() if imperative else fluid.program_guard(fluid.Program(), fluid.Program()):
            rest = [wrong if value is None else value for value in NEEDS[name]]
            with pytest.raises(fluid.core.EnforceNotMet, match=name):
                getattr(contrib, name)(wrong, *rest)


def variable(name, shape, dtype="float32"):
    return fluid.data(name, shape, dtype)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: contrib.match_matrix_tensor(variable("x", [-1, 3]), variable("y", [-1, 4]), 1),
         r"match_matrix_tensor: x and y must be \[total length, width\], got \[-1, 3\] and \[-1, 4\]"),
        (lambda: contrib.fused_elemwise_activation(variable("x", [2]), variable("y", [2]), ["relu"]),
         "functor_list must be two names"),
        (lambda: contrib.tdm_child(variable("x", [2], "int32"), 2, 2, dtype="float32"),
         "tdm_child: dtype must be int32 or int64, got 'float32'"),
        (lambda: contrib.tdm_sampler(variable("x", [2, 1], "int32"), [1], [2, 4], 4),
         "one number per layer, got 1 and 2"),
        (lambda: contrib.tdm_sampler(variable("x", [2, 1], "int32"), [1, 1], [2, 4], 6),
         "below the number of all nodes, 6"),
        (lambda: contrib.tdm_sampler(variable("x", [2, 1], "int32"), [2, 1], [2, 4], 4), "layer 0 has 2 nodes"),
        (lambda: contrib.rank_attention(variable("x", [-1, 2]), variable("o", [-1, 7], "int32"), [9, 3], None),
         r"must begin with width \* max_rank \* max_rank = 18, got \[9, 3\]"),
        (lambda: contrib.ctr_metric_bundle(variable("p", [-1, 1]), variable("l", [-1, 2])), "must have one shape"),
    ],
)  # fmt: skip
def test_refusals(call, says):
    with pytest.raises((TypeError, ValueError), match=says):
        call()
