"""Programs built with fluid.contrib."""

from catalog import program

import paddle.fluid as fluid
from paddle.fluid import contrib, layers


def digits():
    """A small convolutional network with a loss."""
    image = layers.data(name="image", shape=[1, 8, 8], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    x = layers.batch_norm(layers.conv2d(image, 4, 3, padding=1, bias_attr=False), act="relu")
    x = layers.fc(layers.pool2d(x, 2, pool_stride=2), 6, act="tanh")
    logits = layers.fc(layers.dropout(x, 0.1), 5)
    return layers.mean(layers.softmax_with_cross_entropy(logits, label))


@program
def mixed_precision():
    """Casts, a scaled loss and the watch over its factor."""
    contrib.mixed_precision.decorate(fluid.optimizer.SGD(learning_rate=0.1), init_loss_scaling=8.0).minimize(digits())


@program
def mixed_precision_of_own_lists():
    """A fixed factor; own lists, and weights that two layers share."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    shared = fluid.ParamAttr(name="shared")
    hidden = layers.fc(layers.fc(x, 4, act="relu", param_attr=shared), 4, act="sigmoid", param_attr=shared)
    scores = layers.matmul(hidden, hidden, transpose_y=True)
    total = layers.elementwise_add(layers.reduce_sum(layers.softmax(scores)), layers.mean(layers.sqrt(hidden)))
    lists = contrib.mixed_precision.AutoMixedPrecisionLists(
        custom_white_list=["softmax"], custom_black_list=["relu"], custom_black_varnames=["fc_1.tmp_0"]
    )
    optimizer = contrib.mixed_precision.decorate(fluid.optimizer.Adam(0.1), lists, use_dynamic_loss_scaling=False)
    optimizer.minimize(layers.mean(total))


@program
def decoupled_weight_decay():
    """Adam with weights that decay."""
    decaying = contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
    decaying(weight_decay=0.01, apply_decay_param_fun=lambda name: name != "fc_0.w_0", learning_rate=0.1).minimize(
        digits()
    )


@program
def gallery_of_contrib():
    """One call of each function of fluid.contrib.layers."""
    x = layers.data(name="x", shape=[3], dtype="float32", lod_level=1)
    y = layers.data(name="y", shape=[3], dtype="float32", lod_level=1)
    ids = layers.data(name="ids", shape=[1], dtype="int64", lod_level=1)
    matched, _ = contrib.layers.match_matrix_tensor(x, y, channel_num=2, act="relu")
    matched = contrib.layers.var_conv_2d(matched, x, y, 2, 3, filter_size=[3, 2], stride=2, act="tanh")
    contrib.layers.sequence_topk_avg_pooling(matched, x, y, topks=[1, 2], channel_num=3)
    contrib.layers.fused_embedding_seq_pool(ids, [10, 4], padding_idx=-1)
    dense = layers.data(name="dense", shape=[6], dtype="float32")
    contrib.layers.fused_elemwise_activation(dense, dense, "relu,elementwise_add")
    contrib.layers.partial_concat([dense, dense], start_index=1, length=2)
    contrib.layers.partial_sum([dense, dense], start_index=2)
    nodes = layers.data(name="nodes", shape=[7, 5], dtype="float32")
    edges = layers.data(name="edges", shape=[6, 2], dtype="int32")
    contrib.layers.tree_conv(nodes, edges, output_size=4, num_filters=2, bias_attr=fluid.ParamAttr())
    leaves = layers.data(name="leaves", shape=[1], dtype="int32")
    contrib.layers.tdm_child(leaves, node_nums=6, child_nums=2)
    contrib.layers.tdm_sampler(leaves, [0, 2], [2, 4], leaf_node_num=4, seed=7)
    contrib.layers.tdm_sampler(leaves, [1, 2], [2, 4], 4, output_positive=False, output_list=False, dtype="int64")
    contrib.layers.ctr_metric_bundle(
        layers.sigmoid(layers.fc(dense, 1)), layers.data(name="click", shape=[1], dtype="float32")
    )


@program
def quantized_digits():
    """Weights by their largest, activations by an average."""
    digits()
    contrib.QuantizeTranspiler(activation_quantize_type="moving_average_abs_max").training_transpile()


@program
def quantized_training_of_few_bits():
    """Weights that two layers share; scales of each batch."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    hidden = layers.fc(layers.fc(x, 4, param_attr="shared"), 4, param_attr="shared", act="relu")
    fluid.optimizer.Adam(0.1).minimize(layers.mean(hidden))
    contrib.QuantizeTranspiler(weight_bits=4, activation_bits=6).training_transpile()
