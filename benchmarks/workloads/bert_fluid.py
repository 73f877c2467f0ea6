"""The training program of BERT-base in Fluid 1.8: embeddings, 12 encoder layers, words found behind all positions."""

import paddle.fluid as fluid
from workloads import data

WIDTH, HEADS = data.BERT_WIDTH, data.BERT_HEADS


def dense(x, size, act=None):
    return fluid.layers.fc(x, size, num_flatten_dims=2, act=act)


def dropout(x):
    return fluid.layers.dropout(x, 0.1, dropout_implementation="upscale_in_train")


def added(x, y):
    return fluid.layers.layer_norm(x + dropout(y), begin_norm_axis=2)


def heads(x):
    x = fluid.layers.reshape(x, [0, 0, HEADS, WIDTH // HEADS])
    return fluid.layers.transpose(x, [0, 2, 1, 3])


def attention(x):
    query, key, value = (heads(dense(x, WIDTH)) for _ in range(3))
    weights = fluid.layers.softmax(fluid.layers.matmul(query, key, transpose_y=True, alpha=(WIDTH // HEADS) ** -0.5))
    mixed = fluid.layers.transpose(fluid.layers.matmul(dropout(weights), value), [0, 2, 1, 3])
    return dense(fluid.layers.reshape(mixed, [0, 0, WIDTH]), WIDTH)


def training_program():
    """Layers, backward and optimizer into the default program; returns the loss."""
    words, positions, targets = (fluid.data(name, [None, 64, 1], "int64") for name in ("words", "positions", "targets"))
    x = fluid.layers.embedding(words, [data.BERT_WORDS, WIDTH])
    x = added(x, fluid.layers.embedding(positions, [data.BERT_POSITIONS, WIDTH]))
    for _ in range(data.BERT_LAYERS):
        x = added(x, attention(x))
        x = added(x, dense(dense(x, data.BERT_INNER, act="gelu"), WIDTH))
    logits = dense(x, data.BERT_WORDS)
    loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, targets))
    fluid.optimizer.Adam(learning_rate=0.0001).minimize(loss)
    return loss
