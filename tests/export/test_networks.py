"""Whole networks, built and saved here, give the same outputs after both exports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.export.models import run_here
from tests.export.test_onnx import fed, session
from tests.export.test_torch import module_of, run

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.export.model import read
from refluid.export.to_onnx.write import to_proto


def numbers(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype("float32")


def ids(*shape: int, high: int = 10) -> np.ndarray:
    return np.random.RandomState(sum(shape)).randint(0, high, shape).astype("int64")


def mobile() -> tuple[list[dict[str, Any]], list[Any]]:
    """Depthwise convolutions, a squeeze-and-excitation gate, an image that shrinks and grows again."""
    image = fluid.data(name="image", shape=[None, 3, 16, 16], dtype="float32")
    x = layers.conv2d(image, 8, 3, stride=2, padding=1, bias_attr=False)
    x = layers.batch_norm(x, act="relu6", is_test=True)
    x = layers.conv2d(x, 8, 3, padding="SAME", groups=8, use_cudnn=False)
    gate = layers.fc(layers.pool2d(x, pool_type="avg", global_pooling=True), size=8, act="hard_sigmoid")
    x = layers.hard_swish(layers.elementwise_mul(x, gate, axis=0))
    small = layers.pool2d(x, pool_size=3, pool_stride=2, pool_padding=1, ceil_mode=True)
    back = layers.resize_bilinear(small, out_shape=[8, 8], align_corners=False, align_mode=1)
    grown = layers.conv2d_transpose(small, 8, filter_size=2, stride=2, act="leaky_relu")
    grown = layers.slice(grown, axes=[2, 3], starts=[0, 0], ends=[8, 8])
    x = layers.concat([x, back, grown], axis=1)
    out = layers.softmax(layers.fc(layers.adaptive_pool2d(x, [3, 3], "avg"), size=5))
    return [{"image": numbers(n, 3, 16, 16)} for n in (2, 5)], [out, layers.resize_nearest(x, scale=2.0)]


def transformer() -> tuple[list[dict[str, Any]], list[Any]]:
    """One layer of an encoder, with a mask made from lengths."""
    heads, width, length = 2, 8, 6
    words = fluid.data(name="words", shape=[None, length], dtype="int64")
    lengths = fluid.data(name="lengths", shape=[None], dtype="int64")
    x = fluid.embedding(words, size=[10, width])
    mask = layers.sequence_mask(lengths, maxlen=length, dtype="float32")
    bias = layers.unsqueeze(layers.scale(mask, scale=1e9, bias=-1e9), axes=[1, 2])

    def split(y: Any) -> Any:
        return layers.transpose(layers.reshape(y, [0, 0, heads, width // heads]), [0, 2, 1, 3])

    q, k, v = (split(layers.fc(x, size=width, num_flatten_dims=2)) for _ in range(3))
    scores = layers.matmul(q, k, transpose_y=True, alpha=(width // heads) ** -0.5)
    weights = layers.dropout(layers.softmax(layers.elementwise_add(scores, bias)), 0.1, is_test=True)
    seen = layers.reshape(layers.transpose(layers.matmul(weights, v), [0, 2, 1, 3]), [0, 0, width])
    x = layers.layer_norm(layers.elementwise_add(x, seen), begin_norm_axis=2)
    hidden = layers.gelu(layers.fc(x, size=16, num_flatten_dims=2))
    x = layers.layer_norm(
        layers.elementwise_add(x, layers.fc(hidden, size=width, num_flatten_dims=2)), begin_norm_axis=2
    )
    best, places = layers.topk(layers.reduce_mean(x, dim=1), k=3)
    feeds = [{"words": ids(n, length), "lengths": ids(n, high=length) + 1} for n in (3, 1)]
    return feeds, [x, best, places, layers.squeeze(layers.slice(x, axes=[1], starts=[0], ends=[1]), axes=[1])]


def recommender() -> tuple[list[dict[str, Any]], list[Any]]:
    """Two towers, one of which reads titles of different lengths."""
    user = fluid.data(name="user", shape=[None, 1], dtype="int64")
    title = fluid.data(name="title", shape=[None, 1], dtype="int64", lod_level=1)
    of_user = layers.fc(layers.embedding(user, size=[10, 4]), size=6, act="tanh")
    words = layers.embedding(title, size=[10, 4], padding_idx=0)
    pools = [layers.sequence_pool(words, kind) for kind in ("sum", "max", "last")]
    attention = layers.sequence_softmax(layers.fc(words, size=1))
    pools.append(layers.sequence_pool(layers.elementwise_mul(words, attention, axis=0), "sum"))
    of_title = layers.fc(layers.concat(pools, axis=1), size=6, act="tanh")
    shown = layers.sequence_expand_as(of_user, words)
    feeds = [
        {"user": ids(len(lengths), 1), "title": (ids(sum(lengths), 1), [lengths])}
        for lengths in ([3, 1, 2], [5], [2, 2, 1, 4])
    ]
    return feeds, [layers.scale(layers.cos_sim(of_user, of_title), scale=5.0), shown]


def stacked() -> tuple[list[dict[str, Any]], list[Any]]:
    """Recurrent units one above the other, in both directions, over sentences of different lengths."""
    words = fluid.data(name="words", shape=[None, 1], dtype="int64", lod_level=1)
    x = layers.fc(layers.embedding(words, size=[10, 4]), size=12)
    forward, _ = layers.dynamic_lstm(x, size=12)
    backward = layers.dynamic_gru(layers.fc([x, forward], size=9), size=3, is_reverse=True)
    pools = [layers.sequence_pool(one, "max") for one in (forward, backward)]
    feeds = [{"words": (ids(sum(lengths), 1), [lengths])} for lengths in ([3, 1, 2], [5], [1, 4])]
    return feeds, [layers.fc(pools, size=2, act="softmax")]


@pytest.mark.parametrize("build", [mobile, transformer, recommender, stacked])
def test_a_network_gives_the_same_outputs(build: Callable, tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        feeds, outputs = build()
    exe = fluid.Executor(fluid.CPUPlace())
    folder = str(tmp_path / "model")
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.save_inference_model(folder, list(feeds[0]), outputs, exe, main)
    model = read(folder)
    as_onnx, as_torch = session(to_proto(model)), module_of(model)
    for feed in feeds:
        wanted = run_here(folder, feed, None, None)
        names = [var.name for var in model.fetches]
        for found, other in zip(as_onnx.run(names, fed(feed)), wanted, strict=True):
            np.testing.assert_allclose(found, other, rtol=1e-5, atol=1e-5)
        for found, other in zip(run(as_torch, feed, list(feed)), wanted):
            np.testing.assert_allclose(found, other, rtol=1e-5, atol=1e-5)
