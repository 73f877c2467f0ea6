"""Training step of a Transformer encoder with a classifier on top in Fluid 1.8: attention and dropout written out."""

import paddle.fluid as fluid
from paddle.fluid.dygraph import LayerNorm, Linear, to_variable
from workloads import data

WIDTH, HEADS = data.TRANSFORMER_WIDTH, data.TRANSFORMER_HEADS
HEAD_WIDTH = WIDTH // HEADS


def dropout(x):
    return fluid.layers.dropout(x, data.TRANSFORMER_DROPOUT, dropout_implementation="upscale_in_train")


class Attention(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.query = Linear(WIDTH, WIDTH)
        self.key = Linear(WIDTH, WIDTH)
        self.value = Linear(WIDTH, WIDTH)
        self.output = Linear(WIDTH, WIDTH)

    def heads(self, x):
        x = fluid.layers.reshape(x, [0, 0, HEADS, HEAD_WIDTH])
        return fluid.layers.transpose(x, [0, 2, 1, 3])

    def forward(self, x):
        query, key, value = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        weights = fluid.layers.softmax(fluid.layers.matmul(query, key, transpose_y=True, alpha=HEAD_WIDTH**-0.5))
        mixed = fluid.layers.transpose(fluid.layers.matmul(dropout(weights), value), [0, 2, 1, 3])
        return self.output(fluid.layers.reshape(mixed, [0, 0, WIDTH]))


class EncoderLayer(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm_1 = LayerNorm(WIDTH)
        self.inner = Linear(WIDTH, data.TRANSFORMER_INNER, act="relu")
        self.outer = Linear(data.TRANSFORMER_INNER, WIDTH)
        self.norm_2 = LayerNorm(WIDTH)

    def forward(self, x):
        x = self.norm_1(x + dropout(self.attention(x)))
        return self.norm_2(x + dropout(self.outer(dropout(self.inner(x)))))


class Encoder(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        layers = [EncoderLayer() for _ in range(data.TRANSFORMER_LAYERS)]
        self.layers = fluid.dygraph.Sequential(*layers)
        self.classifier = Linear(WIDTH, data.TRANSFORMER_CLASSES)

    def forward(self, x):
        return self.classifier(fluid.layers.reduce_mean(self.layers(x), dim=1))


def imperative():
    fluid.enable_dygraph(fluid.CPUPlace())
    model = Encoder()
    adam = fluid.optimizer.Adam(learning_rate=0.0001, parameter_list=model.parameters())
    x, labels = data.transformer()

    def step():
        logits = model(to_variable(x))
        loss = fluid.layers.reduce_mean(fluid.layers.softmax_with_cross_entropy(logits, to_variable(labels)))
        loss.backward()
        adam.minimize(loss)
        model.clear_gradients()
        return loss.numpy()

    return step
