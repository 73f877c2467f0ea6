"""A sentiment classifier trains on sentences of any length, without padding and without building a plan again."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import layers

WORDS, BATCH = 60, 16


def sentences(rng):
    """A batch of sentences of 1 to 9 words; those of class 1 have most words from the upper half of the dictionary."""
    labels = rng.randint(0, 2, (BATCH, 1))
    lengths = rng.randint(1, 10, BATCH)
    upper = np.repeat(labels[:, 0], lengths) ^ (rng.rand(lengths.sum()) < 0.1)
    words = (rng.randint(0, WORDS // 2, lengths.sum()) + upper * (WORDS // 2)).reshape(-1, 1)
    return fluid.create_lod_tensor(words, [lengths.tolist()], fluid.CPUPlace()), labels.astype("int64")


def uniform(seed):
    """The same parameter in every program and mode."""
    return fluid.ParamAttr(initializer=fluid.initializer.Uniform(-0.3, 0.3, seed=seed))


def inputs():
    words = layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
    return words, layers.data(name="label", shape=[1], dtype="int64")


def classifier(words, label, is_sparse=False):
    """Returns loss, accuracy and the embedded words."""
    embedded = layers.embedding(input=words, size=[WORDS, 8], is_sparse=is_sparse, param_attr=uniform(1))
    three = fluid.nets.sequence_conv_pool(
        input=embedded, num_filters=8, filter_size=3, act="tanh", pool_type="sqrt", param_attr=uniform(2)
    )
    four = fluid.nets.sequence_conv_pool(
        input=embedded, num_filters=8, filter_size=4, act="tanh", pool_type="max", param_attr=uniform(3)
    )
    prediction = layers.fc(input=[three, four], size=2, act="softmax", param_attr=[uniform(4), uniform(5)])
    loss = layers.mean(layers.cross_entropy(input=prediction, label=label))
    return loss, layers.accuracy(input=prediction, label=label), embedded


def train(steps, is_sparse=False):
    """Returns the losses, the accuracies, the total lengths of the batches, and the plans that ran."""
    main, startup = fluid.default_main_program(), fluid.default_startup_program()
    loss, accuracy, _ = classifier(*inputs(), is_sparse)
    fluid.optimizer.Adagrad(learning_rate=0.1).minimize(loss)
    executor, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    executor.run(startup, scope=scope)
    rng, log = np.random.RandomState(3), []
    for _ in range(steps):
        words, label = sentences(rng)
        fetched = executor.run(main, {"words": words, "label": label}, [loss, accuracy], scope=scope)
        log.append((*(value.item() for value in fetched), len(np.array(words)), plan_of(main)))
    return [list(column) for column in zip(*log)]


def plan_of(program):
    (plan,) = (plan for key, plan in program.plans.items() if key != "version")
    return plan


def test_loss_falls_over_batches_of_every_length_with_one_plan():
    losses, accuracies, lengths, plans = train(steps=60)
    assert len(set(lengths)) > 20
    assert np.mean(losses[-10:]) < 0.4 * np.mean(losses[:3])
    assert np.mean(accuracies[-10:]) > 0.9
    assert all(plan is plans[0] for plan in plans)


def test_sparse_and_dense_embeddings_train_alike():
    dense = train(steps=15)[0]
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        sparse = train(steps=15, is_sparse=True)[0]
    np.testing.assert_allclose(dense, sparse, rtol=1e-5)


def test_both_modes_find_the_same_loss_and_gradient():
    words, label = sentences(np.random.RandomState(8))
    loss, _, embedded = classifier(*inputs())
    fluid.backward.append_backward(loss)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(fluid.default_startup_program())
    fetches = [loss, embedded.name + "@GRAD"]
    expected = executor.run(feed={"words": words, "label": label}, fetch_list=fetches, return_numpy=False)
    expected = [np.array(one) for one in expected]
    with fluid.dygraph.guard():
        words, label = fluid.dygraph.to_variable(words), fluid.dygraph.to_variable(label)
        loss, _, embedded = classifier(words, label)
        loss.backward()
        np.testing.assert_allclose(loss.numpy(), expected[0], rtol=1e-5)
        np.testing.assert_allclose(embedded.gradient(), expected[1], rtol=1e-4, atol=1e-7)
