"""The recorded models of Fluid 1.8.5, their feeds, and what Refluid computes with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.models.oracle import ROOT, source

import paddle.fluid as fluid

FOLDER = ROOT / "tests" / "fixtures" / "models"
MODELS = ["lenet", "linear", "normalized", "resnet50", "sentiment", "word2vec"]  # those without a loop


def feed_of(name: str) -> dict[str, Any]:
    """What the fixture was recorded with: arrays, or (array, lengths)."""
    recorder = source("record_models")
    _, _, fed, feeds, _, _ = recorder.build(name)
    return {key: value for key, value in fed.items() if key in feeds}


def run_here(folder: str, feed: dict[str, Any], model: str | None = "model", params: str | None = "params") -> list:
    """The outputs of a saved model, run by Refluid."""
    place = fluid.CPUPlace()
    given = {k: fluid.create_lod_tensor(v[0], v[1], place) if isinstance(v, tuple) else v for k, v in feed.items()}
    exe = fluid.Executor(place)
    with fluid.scope_guard(fluid.Scope()):
        program, _, targets = fluid.io.load_inference_model(folder, exe, model, params)
        return [np.array(value) for value in exe.run(program, feed=given, fetch_list=targets, return_numpy=False)]


def batches_of(name: str) -> list[dict[str, Any]]:
    """The recorded feed, and others of other sizes."""
    feed = feed_of(name)
    if name == "sentiment":
        generator = np.random.default_rng(3)
        ragged = ([[3, 1, 2]], [[1]], [[4, 0, 7, 0]], [[0, 2]])
        return [feed] + [
            {"words": (generator.integers(0, 30, (sum(lengths[0]), 1)), lengths)} for lengths in ragged
        ]  # fmt: skip
    shared = name == "looping"  # one number beside a batch
    repeated = {k: v if shared and v.shape[0] == 1 else np.concatenate([v, v[:1], v]) for k, v in feed.items()}
    single = {k: v[:1] for k, v in feed.items()}
    return [feed, repeated, single]
