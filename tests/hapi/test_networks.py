"""The well-known networks have the shapes and sizes of their papers, in both modes."""

import numpy as np
import pytest
from tests.hapi.digits import MODES, in_mode

import paddle.fluid as fluid
from paddle.incubate.hapi.loss import CrossEntropy
from paddle.incubate.hapi.model import Input
from paddle.incubate.hapi.vision import models


def parameters(model):
    return sum(int(np.prod(param.shape)) for param in model.parameters() if param.trainable)


# In millions; the layers are declared here, not made.
SIZES = {
    "resnet18": 11.69, "resnet34": 21.80, "resnet50": 25.56, "resnet101": 44.55, "resnet152": 60.19,
    "vgg11": 132.86, "vgg13": 133.05, "vgg16": 138.36, "vgg19": 143.67, "mobilenet_v1": 4.23, "mobilenet_v2": 3.50,
    "darknet53": 41.61,
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_as_many_parameters_as_published(name):
    assert parameters(getattr(models, name)()) / 1e6 == pytest.approx(SIZES[name], abs=0.006)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "make",
    [
        lambda: models.resnet18(num_classes=5),
        lambda: models.mobilenet_v1(scale=0.25, num_classes=5),
        lambda: models.mobilenet_v2(scale=0.35, num_classes=5),
    ],
    ids=["resnet18", "mobilenet_v1", "mobilenet_v2"],
)
def test_a_step_of_training(mode, make):
    rng = np.random.RandomState(0)
    images, labels = rng.rand(4, 3, 32, 32).astype("float32"), rng.randint(0, 5, (4, 1))
    with in_mode(mode):
        model = make()
        model.prepare(
            fluid.optimizer.Momentum(0.01, 0.9, parameter_list=model.parameters()), CrossEntropy(),
            inputs=Input([None, 3, 32, 32], name="image"), labels=Input([None, 1], "int64", name="label"),
        )  # fmt: skip
        (loss,) = model.train_batch([images], [labels])
        assert np.isfinite(loss).all()
        (out,) = model.test_batch([images])
        assert out.shape == (4, 5)
        np.testing.assert_allclose(out.sum(axis=1), 1, rtol=1e-4)


@pytest.mark.parametrize("batch_norm", [False, True])
def test_features_of_vgg(batch_norm):
    with fluid.dygraph.guard():
        model = models.vgg11(batch_norm=batch_norm, num_classes=-1)
        model.prepare()
        assert model.test_batch([np.zeros((1, 3, 32, 32), "float32")])[0].shape == (1, 512, 1, 1)


def test_no_classifier_and_no_pool():
    with fluid.dygraph.guard():
        image = fluid.dygraph.to_variable(np.zeros((1, 3, 64, 64), "float32"))
        assert models.resnet18(num_classes=0, with_pool=False)(image).shape == [1, 512, 2, 2]
        digit = fluid.dygraph.to_variable(np.zeros((1, 1, 28, 28), "float32"))
        assert models.LeNet(num_classes=0)(digit).shape == [1, 16, 5, 5]
        assert models.darknet53(num_classes=0, with_pool=False)(image).shape == [1, 1024, 2, 2]


@pytest.mark.parametrize("mode", MODES)
def test_weights_from_a_file(mode, tmp_path):
    image = np.random.RandomState(0).rand(1, 3, 32, 32).astype("float32")
    outs = []
    with in_mode(mode):
        for load in (False, True):
            model = models.mobilenet_v2(scale=0.35, num_classes=5)
            model.prepare(inputs=Input([None, 3, 32, 32], name="image"))
            if load:
                model.load(str(tmp_path / "weights.pdparams"))
            else:
                model.save(str(tmp_path / "weights"))
            outs.append(model.test_batch([image])[0])
    assert np.array_equal(*outs)


def test_mistakes():
    with pytest.raises(ValueError, match=r"resnet50: there are no pretrained weights; .* load\(path\)"):
        models.resnet50(pretrained=True)
    with pytest.raises(ValueError, match="ResNet: depth must be one of .*, got 7"):
        models.ResNet(None, depth=7)
    with pytest.raises(ValueError, match="DarkNet: num_layers must be one of .*, got 7"):
        models.DarkNet(7)
