"""Rows of softmax_with_cross_entropy."""

import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, rand, refuse


def both(Logits, Label, soft_label, ignore_index, axis):
    e = np.exp(Logits - Logits.max(axis, keepdims=True))
    p = e / e.sum(axis, keepdims=True)
    if soft_label:
        return p, -(Label * np.log(p)).sum(axis, keepdims=True)
    label = Label.reshape(np.take(p, [0], axis).shape)
    loss = -np.log(np.take_along_axis(p, np.where(label == ignore_index, 0, label), axis))
    return p, np.where(label == ignore_index, 0, loss)


def distribution(*shape, axis=-1):
    x = rand(*shape, low=0.1)
    return x / x.sum(axis, keepdims=True)


OP = "softmax_with_cross_entropy"
case(OP, Logits=rand(3, 4), Label=ints(3, 1, high=4), expect=both)
case(OP, Logits=rand(3, 4), Label=ints(3, high=4), expect=both)
case(OP, Logits=rand(3, 4), Label=ints(3, 1, high=4), numeric_stable_mode=False, expect=both)
case(OP, Logits=rand(2, 3, 4), Label=ints(2, 3, 1, high=4), expect=both)
case(OP, Logits=rand(2, 4, 3, 2), Label=ints(2, 1, 3, 2, high=4), axis=1, expect=both)
case(OP, Logits=rand(3, 4), Label=np.array([[1], [-100], [3]]), expect=both)
case(OP, Logits=rand(3, 4), Label=np.array([[1], [0], [3]]), ignore_index=0, expect=both)
case(OP, Logits=rand(3, 4), Label=distribution(3, 4), soft_label=True, expect=both)
case(OP, Logits=rand(2, 4, 3), Label=distribution(2, 4, 3, axis=1), soft_label=True, axis=1, expect=both)
case(OP, Logits=ragged([[2, 1]], 4), Label=ints(3, 1, high=4), expect_lod={"Softmax": "Logits", "Loss": "Logits"})
case(
    OP,
    Logits=np.array([[0.0, 500.0]]),
    Label=np.array([[0]]),
    expect=lambda: (np.array([[0.0, 1.0]]), np.array([[64.0]])),
    grad=False,
    why="below the bound Fluid's gradient is that of the softmax without it",
)
refuse(
    OP,
    Logits=rand(4, 10),
    Label=np.array([[1], [2], [3], [12]]),
    says="Label holds 12 at row 3, but Logits has 10 classes",
)
refuse(
    OP,
    Logits=rand(4, 10),
    Label=ints(4, 2),
    says="Label must have shape [4, 1] to match Logits of shape [4, 10], got [4, 2]",
)
refuse(OP, Logits=rand(4, 10), Label=ints(4, 1), axis=2, says="axis must be in [-2, 2) for Logits of that rank, got 2")
refuse(OP, Logits=rand(4, 10), Label=rand(4, 9), soft_label=True, says="Logits has shape [4, 10], but Label has [4, 9]")
fixture(
    OP,
    skip={
        1: "1.8.5 gives ignored samples a gradient on the CPU, against its documents and its CUDA kernel",
        4: "soft labels that do not sum to 1, for which Fluid's gradient is not the slope: test_soft_labels.py",
    },
)
