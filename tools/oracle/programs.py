"""Whole training programs in plain Fluid code, as people write them."""

from catalog import program

import paddle.fluid as fluid
from paddle.fluid import layers


@program
def linear_regression():
    """The first training program of the guide: four unknowns, stochastic gradient descent."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    prediction = layers.fc(input=x, size=1, act=None)
    loss = layers.mean(layers.square_error_cost(input=prediction, label=y))
    fluid.optimizer.SGD(learning_rate=0.05).minimize(loss)


@program
def softmax_mlp():
    """Two hidden layers, cross entropy of probabilities, accuracy, Adam with weight decay."""
    image = layers.data(name="image", shape=[1, 8, 8], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    hidden = layers.fc(input=image, size=16, act="relu")
    hidden = layers.fc(input=hidden, size=16, act="tanh")
    prediction = layers.fc(input=hidden, size=10, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=prediction, label=label))
    layers.accuracy(input=prediction, label=label)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(learning_rate=0.01, regularization=fluid.regularizer.L2Decay(1e-4)).minimize(loss)
    return {"test": test}


@program
def lenet():
    """The convolutional digit recogniser of the book."""
    image = layers.data(name="img", shape=[1, 28, 28], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    first = fluid.nets.simple_img_conv_pool(
        input=image, filter_size=5, num_filters=20, pool_size=2, pool_stride=2, act="relu"
    )
    first = layers.batch_norm(first)
    second = fluid.nets.simple_img_conv_pool(
        input=first, filter_size=5, num_filters=50, pool_size=2, pool_stride=2, act="relu"
    )
    prediction = layers.fc(input=second, size=10, act="softmax")
    cost = layers.cross_entropy(input=prediction, label=label)
    loss = layers.mean(cost)
    layers.accuracy(input=prediction, label=label, k=1)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(learning_rate=0.001).minimize(loss)
    return {"test": test}


def conv_bn(x, channels, size, stride, act=None):
    x = layers.conv2d(
        input=x, num_filters=channels, filter_size=size, stride=stride, padding=(size - 1) // 2, bias_attr=False
    )
    return layers.batch_norm(input=x, act=act)


def residual(x, channels, stride):
    branch = conv_bn(x, channels, 3, stride, act="relu")
    branch = conv_bn(branch, channels, 3, 1)
    if stride != 1 or x.shape[1] != channels:
        x = conv_bn(x, channels, 1, stride)
    return layers.elementwise_add(x=x, y=branch, act="relu")


@program
def resnet():
    """Residual blocks with batch normalisation, momentum, and a learning rate that falls in steps."""
    image = layers.data(name="image", shape=[3, 16, 16], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    x = conv_bn(image, 8, 3, 1, act="relu")
    x = residual(x, 8, 1)
    x = residual(x, 16, 2)
    x = layers.pool2d(input=x, pool_type="avg", global_pooling=True)
    logits = layers.fc(input=x, size=10)
    loss = layers.mean(layers.softmax_with_cross_entropy(logits=logits, label=label))
    test = fluid.default_main_program().clone(for_test=True)
    rate = layers.piecewise_decay(boundaries=[100, 200], values=[0.1, 0.01, 0.001])
    optimizer = fluid.optimizer.Momentum(
        learning_rate=rate, momentum=0.9, regularization=fluid.regularizer.L2Decay(1e-4)
    )
    optimizer.minimize(loss)
    return {"test": test}


@program
def sentiment_conv():
    """Sequences of words without padding: sparse embedding, two sequence convolutions, Adagrad."""
    words = layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
    label = layers.data(name="label", shape=[1], dtype="int64")
    embedded = layers.embedding(input=words, size=[100, 8], is_sparse=True)
    three = fluid.nets.sequence_conv_pool(input=embedded, num_filters=8, filter_size=3, act="tanh", pool_type="sqrt")
    four = fluid.nets.sequence_conv_pool(input=embedded, num_filters=8, filter_size=4, act="tanh", pool_type="sqrt")
    prediction = layers.fc(input=[three, four], size=2, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=prediction, label=label))
    layers.accuracy(input=prediction, label=label)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adagrad(learning_rate=0.002).minimize(loss)
    return {"test": test}


@program
def word2vec():
    """Four words share one embedding table by name; the fifth is predicted."""
    names = ["firstw", "secondw", "thirdw", "fourthw"]
    words = [layers.data(name=name, shape=[1], dtype="int64") for name in names]
    target = layers.data(name="nextw", shape=[1], dtype="int64")
    table = fluid.ParamAttr(name="shared_w")
    embedded = [layers.embedding(input=word, size=[50, 8], is_sparse=False, param_attr=table) for word in words]
    joined = layers.concat(input=embedded, axis=1)
    hidden = layers.fc(input=joined, size=16, act="sigmoid")
    prediction = layers.fc(input=hidden, size=50, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=prediction, label=target))
    fluid.optimizer.SGD(learning_rate=0.001).minimize(loss)


@program
def dropout_global_norm():
    """Dropout in both implementations, a clone for testing, clipping by the global norm."""
    x = layers.data(name="x", shape=[8], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    hidden = layers.fc(input=x, size=16, act="relu")
    hidden = layers.dropout(hidden, dropout_prob=0.5)
    hidden = layers.fc(input=hidden, size=16, act="leaky_relu", bias_attr=False)
    hidden = layers.dropout(hidden, dropout_prob=0.3, seed=7, dropout_implementation="upscale_in_train")
    prediction = layers.fc(input=hidden, size=1)
    loss = layers.reduce_mean(layers.square(prediction - y))
    test = fluid.default_main_program().clone(for_test=True)
    clip = fluid.clip.GradientClipByGlobalNorm(clip_norm=1.0)
    fluid.optimizer.SGD(learning_rate=0.1, grad_clip=clip).minimize(loss)
    return {"test": test}


@program
def clip_for_all_parameters():
    """The older spelling of clipping: set for the whole program, by norm."""
    x = layers.data(name="x", shape=[8], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    prediction = layers.fc(input=layers.fc(input=x, size=4, act="relu"), size=1)
    loss = layers.mean(layers.square_error_cost(prediction, y))
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByNorm(clip_norm=2.0))
    fluid.optimizer.Momentum(learning_rate=0.1, momentum=0.9, use_nesterov=True).minimize(loss)


@program
def operators():
    """One variable read many times through Python operators, slices and comparisons."""
    x = layers.data(name="x", shape=[3, 4], dtype="float32", append_batch_size=False)
    x.stop_gradient = False
    w = layers.create_parameter(shape=[3, 4], dtype="float32", name="w")
    b = layers.create_global_var(shape=[1], value=2.0, dtype="float32", persistable=True, name="b")
    z = x * w + x - w / b
    z = 1.0 - z * 2 + w * w
    z = -z / 3.0 + 2.0 / (z * z + 1)
    z = z**2 + w
    row = z[0]
    part = z[1:3, 0:4:2]
    corner = z[-1, 1:]
    mask = layers.cast(z > w, "float32")
    less = layers.cast(layers.less_than(x=z, y=w), "float32")
    equal = layers.cast(z <= 1.0, "float32")
    total = layers.sums(
        [
            layers.reduce_sum(row),
            layers.reduce_sum(part),
            layers.reduce_sum(corner),
            layers.reduce_sum(z * mask - less * w + equal),
        ]
    )
    fluid.optimizer.SGD(learning_rate=0.1).minimize(total)


@program
def recommender():
    """Users and films: several embeddings, fc over a list, cosine similarity, RMSProp with exponential decay."""
    user = layers.data(name="user_id", shape=[1], dtype="int64")
    gender = layers.data(name="gender_id", shape=[1], dtype="int64")
    film = layers.data(name="movie_id", shape=[1], dtype="int64")
    words = layers.data(name="movie_title", shape=[1], dtype="int64", lod_level=1)
    score = layers.data(name="score", shape=[1], dtype="float32")
    user_vector = layers.fc(layers.embedding(user, size=[20, 8], param_attr="user_table", is_sparse=True), size=8)
    gender_vector = layers.fc(layers.embedding(gender, size=[2, 4], param_attr="gender_table"), size=4)
    usr = layers.fc(input=[user_vector, gender_vector], size=10, act="tanh")
    film_vector = layers.fc(layers.embedding(film, size=[30, 8], param_attr="movie_table"), size=8)
    title = layers.sequence_pool(layers.embedding(words, size=[40, 8]), pool_type="sum")
    mov = layers.fc(input=[film_vector, title], size=10, act="tanh")
    similarity = layers.cos_sim(X=usr, Y=mov)
    prediction = layers.scale(x=similarity, scale=5.0)
    cross = layers.reduce_sum(layers.elementwise_mul(usr, mov), dim=1, keep_dim=True)
    loss = layers.mean(layers.square_error_cost(input=prediction + cross, label=score))
    rate = layers.exponential_decay(learning_rate=0.1, decay_steps=100, decay_rate=0.5, staircase=True)
    fluid.optimizer.RMSProp(learning_rate=rate, rho=0.9, momentum=0.1, centered=True).minimize(loss)


@program
def attention():
    """A self-attention block with layer normalisation, Adam and the Noam learning rate."""
    x = layers.data(name="x", shape=[6, 16], dtype="float32")
    y = layers.data(name="y", shape=[6, 16], dtype="float32")
    q, k, v = [layers.fc(x, size=16, num_flatten_dims=2, bias_attr=False) for _ in range(3)]

    def heads(t):
        return layers.transpose(layers.reshape(t, shape=[0, 0, 4, 4]), perm=[0, 2, 1, 3])

    weights = layers.softmax(layers.matmul(heads(q), heads(k), transpose_y=True, alpha=0.5))
    weights = layers.dropout(weights, dropout_prob=0.1, is_test=False)
    context = layers.transpose(layers.matmul(weights, heads(v)), perm=[0, 2, 1, 3])
    context = layers.reshape(context, shape=[0, 0, 16], inplace=True)
    out = layers.layer_norm(layers.fc(context, size=16, num_flatten_dims=2) + x, begin_norm_axis=2)
    out = layers.layer_norm(
        layers.fc(out, size=16, num_flatten_dims=2, act="gelu") + out,
        begin_norm_axis=2,
        shift=False,
        param_attr=fluid.initializer.Constant(1.0),
    )
    loss = layers.reduce_mean(layers.square(out - y))
    rate = layers.noam_decay(d_model=16, warmup_steps=400)
    fluid.optimizer.Adam(learning_rate=rate, beta1=0.9, beta2=0.98, epsilon=1e-9).minimize(loss)


@program
def gradients_of_composite():
    """fluid.gradients twice: with a given gradient of the target, and with one more path over the same operators."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    x.stop_gradient = False
    grad = layers.data(name="given", shape=[3], dtype="float32")
    hidden = layers.fc(x, size=3, act="tanh")
    y = layers.relu(hidden * hidden - hidden)
    fluid.gradients(targets=[y], inputs=[x], target_gradients=[grad])
    fluid.gradients([layers.reduce_sum(layers.square(y))], [x, hidden])


@program
def gradient_penalty():
    """The gradient of a gradient, as in training with a penalty on the slope."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    x.stop_gradient = False
    out = layers.fc(x, size=1, param_attr=fluid.ParamAttr(name="slope"), bias_attr=False)
    out = layers.square(out)
    (slope,) = fluid.gradients([layers.reduce_sum(out)], [x])
    penalty = layers.reduce_mean(layers.square(slope))
    fluid.optimizer.SGD(learning_rate=0.1).minimize(layers.mean(out) + penalty * 10.0)


@program
def regularizers_and_clips():
    """L1 for all, L2 for one parameter, clipping by value, a frozen parameter and a learning rate of its own."""
    x = layers.data(name="x", shape=[8], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    hidden = layers.fc(
        x,
        size=6,
        act="relu",
        param_attr=fluid.ParamAttr(regularizer=fluid.regularizer.L2Decay(0.1), learning_rate=0.5),
        bias_attr=fluid.ParamAttr(trainable=False, initializer=fluid.initializer.Constant(0.25)),
    )
    hidden = layers.fc(hidden, size=6, act="sigmoid", param_attr=fluid.initializer.Normal(0.0, 0.1))
    prediction = layers.fc(hidden, size=1, bias_attr=fluid.ParamAttr(learning_rate=2.0))
    loss = layers.mean(layers.square_error_cost(prediction, y))
    optimizer = fluid.optimizer.Adagrad(
        learning_rate=0.1,
        regularization=fluid.regularizer.L1Decay(0.01),
        grad_clip=fluid.clip.GradientClipByValue(max=0.5, min=-0.5),
    )
    optimizer.minimize(loss)


@program
def averaged():
    """ModelAverage and an exponential moving average over one training program."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    loss = layers.mean(layers.square_error_cost(layers.fc(x, size=1), y))
    fluid.optimizer.Momentum(learning_rate=0.1, momentum=0.9).minimize(loss)
    average = fluid.optimizer.ModelAverage(0.15, min_average_window=2, max_average_window=10)
    ema = fluid.optimizer.ExponentialMovingAverage(0.999)
    ema.update()
    return {
        "average_apply": average.apply_program,
        "average_restore": average.restore_program,
        "ema_apply": ema.apply_program,
        "ema_restore": ema.restore_program,
    }


@program
def lookahead():
    """The slow weights of Lookahead around SGD."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    loss = layers.mean(layers.square_error_cost(layers.fc(x, size=1), y))
    fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(learning_rate=0.01), alpha=0.5, k=5).minimize(loss)


@program
def warmup_cosine_lamb():
    """Warm-up into cosine decay, Lamb, a polynomial and an inverse-time rate beside them."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")
    logits = layers.fc(layers.prelu(layers.fc(x, size=6), mode="all"), size=3)
    loss = layers.mean(layers.softmax_with_cross_entropy(logits, label))
    rate = layers.linear_lr_warmup(layers.cosine_decay(0.1, step_each_epoch=10, epochs=5), 20, 0.0, 0.1)
    layers.polynomial_decay(0.1, decay_steps=30, end_learning_rate=0.01, power=2.0, cycle=True)
    layers.inverse_time_decay(0.1, decay_steps=10, decay_rate=0.5)
    layers.natural_exp_decay(0.1, decay_steps=10, decay_rate=0.5, staircase=True)
    fluid.optimizer.Lamb(learning_rate=rate, lamb_weight_decay=0.02).minimize(loss)


@program
def weight_norm():
    """Weights split into length and direction."""
    x = layers.data(name="x", shape=[4], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    hidden = layers.fc(x, size=3, act="relu", param_attr=fluid.WeightNormParamAttr(dim=None, name="split"))
    prediction = layers.fc(hidden, size=1, param_attr=fluid.WeightNormParamAttr(dim=1))
    fluid.optimizer.SGD(0.1).minimize(layers.mean(layers.square_error_cost(prediction, y)))
