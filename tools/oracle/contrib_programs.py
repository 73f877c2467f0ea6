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
