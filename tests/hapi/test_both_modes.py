"""One model class trains, evaluates and predicts in both modes, from equal parameters to equal numbers."""

import numpy as np
import pytest
from tests.hapi.digits import MODES, Digits, batch, in_mode, inputs, labels, prepared

import paddle.fluid as fluid
from paddle.incubate.hapi.callbacks import Callback
from paddle.incubate.hapi.loss import CrossEntropy, Loss, SoftmaxWithCrossEntropy
from paddle.incubate.hapi.metrics import Accuracy, Metric
from paddle.incubate.hapi.model import Input, Model
from paddle.incubate.hapi.vision.models import LeNet
from refluid.hapi.state import value_of


class Losses(Callback):
    def __init__(self):
        super().__init__()
        self.train, self.eval = [], []

    def on_train_batch_end(self, step, logs=None):
        self.train.append(logs["loss"][0])

    def on_eval_end(self, logs=None):
        self.eval.append((logs["loss"][0], logs["acc"]))


class Normalised(Model):
    """Convolution, batch normalisation and dropout behave differently in training and evaluation."""

    def __init__(self):
        super().__init__()
        self.conv = fluid.dygraph.Conv2D(1, 4, 5, stride=2)
        self.norm = fluid.dygraph.BatchNorm(4, act="relu")
        self.drop = fluid.dygraph.Dropout(0.0)
        self.fc = fluid.dygraph.Linear(576, 10, act="softmax")

    def forward(self, image):
        return self.fc(self.drop(fluid.layers.flatten(self.norm(self.conv(image)), 1)))


@pytest.mark.parametrize("mode", MODES)
def test_lenet_learns_digits(mode):
    with in_mode(mode):
        model = prepared()
        model.fit(Digits(1500), batch_size=32, epochs=4, verbose=0)
        result = model.evaluate(Digits(300, "test"), batch_size=100, verbose=0)
    assert result["acc"] > 0.9
    assert result["loss"][0] < 0.4


@pytest.mark.parametrize("make", [None, Normalised], ids=["lenet", "normalised"])
def test_losses_are_equal_in_both_modes(make, tmp_path):
    seen = {}
    for mode in MODES:
        with in_mode(mode):
            model = prepared(make and make())
            if mode == "static":
                model.save(str(tmp_path / "start"))
            model.load(str(tmp_path / "start"))
            losses = Losses()
            model.fit(
                Digits(160), Digits(50, "test"), batch_size=32, epochs=3, shuffle=False, verbose=0, callbacks=losses
            )
            seen[mode] = losses, model.predict(Digits(40), batch_size=16, stack_outputs=True)[0]
    (static, predicted), (imperative, also) = seen["static"], seen["imperative"]
    assert len(static.train) == 15 and len(static.eval) == 3
    assert static.train[-1] < static.train[0]
    np.testing.assert_allclose(static.train, imperative.train, rtol=1e-5)
    np.testing.assert_allclose(static.eval, imperative.eval, rtol=1e-5)
    np.testing.assert_allclose(predicted, also, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_the_same_seeds_give_the_same_training(mode):
    runs = []
    for _ in range(2):
        with in_mode(mode):
            np.random.seed(3)
            fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 3
            losses = Losses()
            prepared().fit(Digits(64), batch_size=16, verbose=0, callbacks=[losses])
            runs.append(losses.train)
    assert runs[0] == runs[1]


@pytest.mark.parametrize("mode", MODES)
def test_batches_one_by_one(mode):
    images, digits = batch()
    with in_mode(mode):
        model = prepared(metrics=Accuracy(topk=(1, 3)))
        (before,), ((top1, top3),) = model.eval_batch([images], [digits])
        assert before.shape == (1,) and 0 <= top1 <= top3 <= 1
        for _ in range(30):
            (loss,), _ = model.train_batch(images, digits)
        (after,), _ = model.eval_batch([images], [digits])
        assert after < 0.5 * before and loss < before
        (out,) = model.test_batch([images])
        assert out.shape == (8, 10)
        np.testing.assert_allclose(out.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_without_metrics_a_batch_gives_its_losses_alone(mode):
    images, digits = batch()
    with in_mode(mode):
        model = prepared(metrics=[])
        (loss,) = model.train_batch([images], [digits])
        assert loss.shape == (1,)
        assert list(model.evaluate(Digits(8), batch_size=4, verbose=0)) == ["loss"]


@pytest.mark.parametrize("mode", MODES)
def test_the_loss_of_an_evaluation_is_that_of_all_samples(mode):
    images, digits = batch(10)
    with in_mode(mode):
        model = prepared()
        (whole,), _ = model.eval_batch([images], [digits])
        parts = model.evaluate(Digits(10), batch_size=4, verbose=0)  # 4, 4 and 2
        np.testing.assert_allclose(parts["loss"], whole, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_a_loss_that_is_not_averaged_is_a_sum(mode):
    images, digits = batch(10)
    with in_mode(mode):
        model = prepared()
        (mean,), _ = model.eval_batch([images], [digits])
        model.prepare(loss_function=CrossEntropy(average=False), inputs=inputs(), labels=labels())
        np.testing.assert_allclose(model.eval_batch([images], [digits])[0], mean * 10, rtol=1e-5)
        result = model.evaluate(Digits(10), batch_size=4, verbose=0)
        np.testing.assert_allclose(result["loss"], mean * 10, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_evaluation_and_prediction_change_nothing(mode):
    images, digits = batch()
    with in_mode(mode):
        model = prepared(Normalised())
        (before,) = model.test_batch([images])
        model.evaluate(Digits(20), batch_size=5, verbose=0)
        model.predict(Digits(20), batch_size=5)
        assert np.array_equal(before, model.test_batch([images])[0])
        assert model.training
        model.train_batch([images], [digits])
        assert not np.array_equal(before, model.test_batch([images])[0])


class TwoHeads(Model):
    def __init__(self):
        super().__init__()
        self.one, self.two = fluid.dygraph.Linear(4, 3), fluid.dygraph.Linear(2, 1)

    def forward(self, a, b):
        return self.one(a), self.two(b)


class ThreeLosses(Loss):
    def forward(self, outputs, labels):
        first = fluid.layers.softmax_with_cross_entropy(outputs[0], labels[0])
        second = fluid.layers.square_error_cost(outputs[1], labels[1])
        return [first, second, fluid.layers.abs(outputs[1])]


@pytest.mark.parametrize("as_dict", [False, True])
def test_several_inputs_outputs_and_losses(as_dict):
    rng = np.random.RandomState(1)
    a, b = rng.rand(6, 4).astype("float32"), rng.rand(6, 2).astype("float32")
    kinds, values = rng.randint(0, 3, (6, 1)), rng.rand(6, 1).astype("float32")
    seen = []
    for mode in MODES:
        with in_mode(mode):
            model = TwoHeads()
            for param in model.parameters():
                start = np.linspace(-1, 1, int(np.prod(param.shape)), dtype="float32").reshape(param.shape)
                if mode == "static":
                    fluid.global_scope().var(param.name).get_tensor().set(start, fluid.CPUPlace())
                else:
                    param.set_value(start)
            first, second = Input([None, 4], name="a"), Input([-1, 2], name="b")
            model.prepare(
                fluid.optimizer.SGD(0.1, parameter_list=model.parameters()), ThreeLosses(),
                inputs={"b": second, "a": first} if as_dict else [first, second],
                labels=[Input([None, 1], "int64", "kind"), Input([None, 1], "float32", "value")],
            )  # fmt: skip
            losses = [model.train_batch([a, b], [kinds, values]) for _ in range(3)]
            assert [loss.shape for loss in losses[0]] == [(1,)] * 3
            one, two = model.predict([[a, b], [a[:2], b[:2]]], stack_outputs=True)
            assert one.shape == (8, 3) and two.shape == (8, 1)
            seen.append([*losses, one])
    for static, imperative in zip(*seen, strict=True):
        np.testing.assert_allclose(static, imperative, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_layers_that_make_their_parameters_when_called(mode):
    class Late(Model):
        def __init__(self):
            super().__init__()
            self.fc = fluid.dygraph.FC("fc", 10)

        def forward(self, image):
            return self.fc(image)

    images, digits = batch()
    with in_mode(mode):
        model = Late()
        model.prepare(fluid.optimizer.SGD(0.01), SoftmaxWithCrossEntropy(), Accuracy(), inputs(), labels())
        first = model.train_batch([images], [digits])[0][0]
        assert model.train_batch([images], [digits])[0][0] < first
        assert model.eval_batch([images], [digits])[0][0] < first
        assert model.test_batch([images])[0].shape == (8, 10)


class Confusion(Metric):
    """A metric of one's own: it gets outputs and labels as they are."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.counts = np.zeros((10, 10), int)

    def update(self, scores, digits):
        np.add.at(self.counts, (digits[:, 0], scores.argmax(1)), 1)
        return self.accumulate()

    def accumulate(self):
        return self.counts.trace() / max(self.counts.sum(), 1)

    def name(self):
        return "right"


@pytest.mark.parametrize("mode", MODES)
def test_a_metric_of_ones_own_and_several_at_once(mode):
    with in_mode(mode):
        model = prepared(metrics=[Confusion(), Accuracy(topk=(1, 2)), Accuracy(name="hits")])
        result = model.evaluate(Digits(20), batch_size=8, verbose=0)
        assert list(result) == ["loss", "right", "acc_top1", "acc_top2", "hits"]
        assert result["right"] == result["acc_top1"] == result["hits"] <= result["acc_top2"]


@pytest.mark.parametrize("mode", MODES)
def test_metrics_without_a_loss(mode):
    images, digits = batch()
    with in_mode(mode):
        model = LeNet()
        model.prepare(metrics=Accuracy(), inputs=inputs(), labels=labels())
        ((share,),) = model.eval_batch([images], [digits])
        assert model.evaluate([(images, digits)], verbose=0) == {"acc": share}


@pytest.mark.parametrize("mode", MODES)
def test_a_model_inside_a_model_and_parameters_that_are_shared(mode):
    class Twice(Model):
        def __init__(self):
            super().__init__()
            self.features = LeNet(num_classes=-1)
            self.fc = fluid.dygraph.Linear(400, 10)

        def forward(self, image):
            seen = fluid.layers.flatten(self.features(image), 1) + fluid.layers.flatten(self.features(image * 0.5), 1)
            return fluid.layers.softmax(self.fc(seen))

    images, digits = batch()
    with in_mode(mode):
        model = prepared(Twice())
        assert len(model.parameters()) == 6
        losses = [model.train_batch([images], [digits])[0][0] for _ in range(10)]
        assert losses[-1] < losses[0]


@pytest.mark.parametrize("mode", MODES)
def test_a_prepare_that_fails_leaves_what_was_prepared(mode):
    class Broken(Loss):
        def forward(self, outputs, labels):
            raise KeyError("no loss today")

    images, digits = batch()
    with in_mode(mode):
        model = prepared()
        model.train_batch([images], [digits])
        with pytest.raises((KeyError, TypeError)):
            if mode == "static":
                model.prepare(fluid.optimizer.SGD(0.1), Broken(), inputs=inputs(), labels=labels())
            else:
                model.prepare(metrics=["accuracy"])
        assert model.training
        (_,), (_,) = model.train_batch([images], [digits])
        assert model.evaluate([(images, digits)], verbose=0).keys() == {"loss", "acc"}


@pytest.mark.parametrize("mode", MODES)
def test_regularization_clipping_and_frozen_parameters_as_in_any_training(mode):
    images, digits = batch()
    with in_mode(mode):
        model = LeNet()
        frozen = model.features[0].weight
        frozen.trainable, frozen.stop_gradient = False, True
        prepared(
            model,
            fluid.optimizer.Momentum(
                0.01, 0.9, parameter_list=model.parameters(), regularization=fluid.regularizer.L2Decay(1e-3),
                grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0),
            ),
        )  # fmt: skip
        before = value_of(frozen)
        losses = [model.train_batch([images], [digits])[0][0] for _ in range(5)]
        assert losses[-1] < losses[0]
        assert np.array_equal(value_of(frozen), before)


@pytest.mark.parametrize("mode", MODES)
def test_inputs_and_labels_that_nobody_reads(mode, tmp_path):
    class Deaf(Model):
        def __init__(self):
            super().__init__()
            self.fc = fluid.dygraph.Linear(2, 1)

        def forward(self, x, unread):
            return self.fc(x)

    class Square(Loss):
        def forward(self, outputs, labels):
            return fluid.layers.square_error_cost(outputs[0], labels[1])

    x = np.ones((3, 2), "float32")
    with in_mode(mode):
        model = Deaf()
        model.prepare(
            fluid.optimizer.SGD(0.1, parameter_list=model.parameters()), Square(),
            inputs=[Input([None, 2]) for _ in "ab"], labels=[Input([None, 1]) for _ in "ab"],
        )  # fmt: skip
        fields = [x, x, x[:, :1], x[:, 1:]]
        before = model.evaluate([fields], verbose=0)["loss"][0]
        model.fit([fields], verbose=0)
        assert model.evaluate([fields], verbose=0)["loss"][0] < before
        assert model.predict([fields], stack_outputs=True)[0].shape == (3, 1)
        model.save_inference_model(str(tmp_path / "deaf"))


@pytest.mark.parametrize("mode", MODES)
def test_a_layer_that_is_no_model(mode, tmp_path):
    class Plain(fluid.dygraph.Layer):
        def __init__(self):
            super().__init__()
            self.fc = fluid.dygraph.Linear(784, 10, act="softmax")

        def forward(self, image):
            return self.fc(fluid.layers.flatten(image, 1))

    images, digits = batch()
    with in_mode(mode):
        plain = Plain()
        model = Model(plain, inputs(), labels())
        model.prepare(fluid.optimizer.SGD(0.01, parameter_list=model.parameters()), CrossEntropy(), Accuracy())
        assert model.network is plain and list(model.state_dict()) == ["fc.weight", "fc.bias"]
        before = model.eval_batch([images], [digits])[0][0]
        model.save(str(tmp_path / "plain"))
        model.fit([(images, digits)], epochs=3, verbose=0)
        assert model.eval_batch([images], [digits])[0][0] < before
        model.load(str(tmp_path / "plain"))
        np.testing.assert_allclose(model.eval_batch([images], [digits])[0][0], before, rtol=1e-6)
    with pytest.raises(ValueError, match="Model: network must be a Layer, got str"):
        Model("resnet50")
    with pytest.raises(NotImplementedError, match="Model must define forward"):
        Model()(images)
