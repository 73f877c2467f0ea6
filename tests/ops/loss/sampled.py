"""Rows of the losses over many classes: hierarchical_sigmoid, nce, sample_logits."""

import numpy as np
from tests.ops.cases import case, fixture, ints, rand, refuse


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def descend(X, W, Bias, Label, num_classes):
    """Down the complete tree; every step missing to the longest path adds log(2)."""
    longest = (num_classes - 1).bit_length()
    out = []
    for x, (label,) in zip(X, Label):
        leaf, total = int(label) + num_classes, 0.0
        length = leaf.bit_length() - 1
        for j in range(length):
            node, code = (leaf >> (j + 1)) - 1, leaf >> j & 1
            s = x @ W[node] + (0 if Bias is None else Bias[node, 0])
            total += np.log1p(np.exp(s)) - code * s
        out.append([total + (longest - length) * np.log(2)])
    return np.array(out)


TREE = {"X": rand(4, 3), "W": rand(5, 3), "Label": np.array([[0], [1], [4], [5]]), "num_classes": 6}
case("hierarchical_sigmoid", **TREE, expect=descend, batch="X Label")
case("hierarchical_sigmoid", **TREE, Bias=rand(5, 1), expect=descend, batch="X Label")
case("hierarchical_sigmoid", **TREE, Bias=rand(5, 1), is_sparse=True, expect=descend, batch="X Label")
PATHS = {"PathTable": np.array([[0, 2, -1], [0, 1, 3]]), "PathCode": np.array([[1, 0, 0], [0, 1, 1]])}
case(
    "hierarchical_sigmoid",
    X=rand(2, 3),
    W=rand(4, 3),
    Label=ints(2, 1, high=2),
    **PATHS,
    num_classes=4,
    expect=lambda X, W: [
        [np.log1p(np.exp(W[[0, 2]] @ X[0])).sum() - W[0] @ X[0] + np.log(2)],
        [np.log1p(np.exp(W[[0, 1, 3]] @ X[1])).sum() - (W[1] + W[3]) @ X[1]],
    ],
    batch="X Label PathTable PathCode",
)
refuse(
    "hierarchical_sigmoid",
    X=rand(1, 3),
    W=rand(5, 3),
    Label=np.array([[6]]),
    num_classes=6,
    says="Label holds 6 at row 0, but the tree has 6 classes",
)
refuse("hierarchical_sigmoid", **{**TREE, "W": rand(5, 2)}, says="X has shape [4, 3], but W has [5, 2]")
fixture("hierarchical_sigmoid")


def log_uniform(c):
    return np.log((c + 2) / (c + 1)) / np.log(6)


def contrast(Input, Label, Weight, Bias, SampleWeight, CustomDistProbs, sampler):
    cost = []
    for x, labels in zip(Input, Label):
        total = 0.0
        for c, true in [(c, True) for c in labels] + [(1, False), (4, False)]:
            o = sigmoid(x @ Weight[c] + (0 if Bias is None else Bias[c, 0]))
            b = 2 * {0: lambda c: 1 / 6, 1: log_uniform, 2: lambda c: CustomDistProbs[c]}[sampler](c)
            total -= np.log((o if true else b) / (o + b))
        cost.append([total])
    return np.array(cost) * (1 if SampleWeight is None else SampleWeight)


DRAWN = {"num_total_classes": 6, "num_neg_samples": 2, "custom_neg_classes": [1, 4], "expect": contrast}
SCORED = {"Input": rand(3, 2), "Weight": rand(6, 2), "batch": "Input Label"}
LABELS = np.array([[0], [3], [5]])
case("nce", **SCORED, Label=LABELS, Bias=rand(6, 1), **DRAWN)
case("nce", **SCORED, Label=LABELS, Bias=rand(6, 1), is_sparse=True, **DRAWN)
case("nce", **SCORED, Label=LABELS, sampler=1, **DRAWN)
case("nce", **SCORED, Label=np.array([[0, 2], [3, 1], [5, 0]]), **DRAWN)
WEIGHED = {**SCORED, "SampleWeight": rand(3, 1, low=0.5), "batch": "Input Label SampleWeight"}
case("nce", **WEIGHED, Label=LABELS, **DRAWN)
case("nce", **SCORED, Label=LABELS, CustomDistProbs=rand(6, low=0.1), sampler=2, **DRAWN)


def all_drawn_are_classes(Label, SampleLabels):
    return (SampleLabels[:, :1] == Label).all() and SampleLabels.min() >= 0 and SampleLabels.max() < 6


ALIAS = {
    "CustomDistProbs": rand(6, low=0.1),
    "CustomDistAlias": np.arange(6)[::-1].copy(),
    "CustomDistAliasProbs": rand(6, low=0),
}
for sampler in (0, 1, 2):
    case(
        "nce",
        **SCORED,
        Label=LABELS,
        **(ALIAS if sampler == 2 else {}),
        num_total_classes=6,
        num_neg_samples=20,
        sampler=sampler,
        check=all_drawn_are_classes,
        grad=False,
        why="draws other classes every time",
        modes=False,
    )
refuse(
    "nce",
    Input=rand(1, 2),
    Weight=rand(6, 2),
    Label=np.array([[6]]),
    num_total_classes=6,
    says="Label holds 6 at row 0, but nce has 6 classes",
)
refuse(
    "nce",
    Input=rand(1, 2),
    Weight=rand(5, 2),
    Label=np.array([[1]]),
    num_total_classes=6,
    says="Weight must have 6 rows, one per class, got [5, 2]",
)

SAMPLES = np.array([[0, 1, 4, 0], [3, 1, 4, 0], [5, 1, 4, 0]])


def sampled(Logits, CustomizedSamples, CustomizedProbabilities, remove_accidental_hits):
    out = np.take_along_axis(Logits, CustomizedSamples, 1) - np.log(CustomizedProbabilities)
    if remove_accidental_hits:
        out[0, 3] -= 1e20
    return {"SampledLogits": out, "SampledLabels": [[0], [0], [0]]}


for remove in (True, False):
    case(
        "sample_logits",
        Logits=rand(3, 6),
        Labels=LABELS,
        CustomizedSamples=SAMPLES,
        CustomizedProbabilities=rand(3, 4, low=0.2),
        use_customized_samples=True,
        remove_accidental_hits=remove,
        num_samples=3,
        expect=sampled,
        grad=not remove,
        why="no digit is left of a logit less 1e20",
    )


def five_different_ones(Labels, Samples, Probabilities, SampledLogits, SampledLabels):
    drawn = Samples[:, 1:]
    return (
        (Samples[:, :1] == Labels).all()
        and (drawn == drawn[0]).all()
        and len(set(drawn[0])) == 5
        and (Probabilities > 0).all()
        and (Probabilities <= 1).all()
    )


case(
    "sample_logits",
    Logits=rand(3, 6),
    Labels=LABELS,
    num_samples=5,
    check=five_different_ones,
    grad=False,
    why="draws other classes every time",
    modes=False,
)
refuse(
    "sample_logits",
    Logits=rand(3, 6),
    Labels=LABELS,
    num_samples=7,
    says="num_samples must not exceed the 6 classes of Logits, got 7",
)
