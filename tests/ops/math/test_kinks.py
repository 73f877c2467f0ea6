"""At ties and kinks the written gradients do what Fluid 1.8.5 did, which is not what the derived ones do."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from tests.ops.calls import Call, close
from tests.ops.cases import FIXTURES, Row

KINKS = [
    ("elementwise_max", 1),
    ("elementwise_min", 0),
    ("elementwise_min", 1),
    ("reduce_max", 3),
    ("soft_relu", 1),
    ("soft_relu", 2),
    ("mish", 1),
]


@pytest.mark.parametrize(("op", "number"), KINKS)
def test_gradient_is_what_fluid_recorded(op: str, number: int) -> None:
    recorded = json.loads((FIXTURES / f"{op}.json").read_text())[number]
    given = {slot: array(value) for slot, value in recorded["inputs"].items()}
    one = Call(Row(op, {**recorded["attrs"], **given}, op))
    outs = one.forward()
    close(outs[0], array(recorded["outputs"]["Out"]), 1e-5, "Out")
    out_grads = [torch.from_numpy(array(recorded["out_grads"]["Out"]))]
    found = one.backward(one.op.gradient, outs, out_grads, [True] * len(one.op.gradient.outputs))
    for slot, wanted in recorded["grads"].items():
        close(found[slot], array(wanted), 1e-5, f"gradient of {slot}")


def array(value: dict) -> np.ndarray:
    return np.array(value["data"], value["dtype"]).reshape(value["shape"])
