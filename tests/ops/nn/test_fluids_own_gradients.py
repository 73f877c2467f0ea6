"""Gradients of Fluid that are no derivatives, so that the generic tests cannot judge them."""

from __future__ import annotations

import json

import numpy as np
import torch
from tests.ops.cases import FIXTURES

from refluid.ops import registry


def test_data_norm_gives_its_sums_what_the_batch_adds_to_them():
    recorded = json.loads((FIXTURES / "data_norm.json").read_text())[0]
    given = {
        slot: torch.tensor(np.array(v["data"], v["dtype"]).reshape(v["shape"]))
        for part in ("inputs", "outputs")
        for slot, v in recorded[part].items()
    }
    out_grad = torch.tensor(recorded["out_grads"]["Y"]["data"]).reshape(given["Y"].shape)
    attrs = {"epsilon": 1e-4, "slot_dim": -1, "enable_scale_and_shift": False}
    gradient = registry.get("data_norm_grad")
    found = gradient.kernel(
        None, None, given["X"], given["Means"], given["Scales"], out_grad, needs=(False, False, *[True] * 4), **attrs
    )
    for slot, grad in zip(gradient.outputs, found):
        if grad is not None:
            np.testing.assert_allclose(
                grad.flatten(), recorded["grads"][slot.name.removesuffix("@GRAD")]["data"], rtol=1e-5, atol=1e-5
            )
