"""Losses: labels that are hard, soft, ignored; weights; thresholds."""

import numpy as np

from cases.table import case, floats, ints, longs, rand, spread


def probabilities(*shape):
    values = rand(*shape, low=0.2, high=1.0)
    return (values / values.sum(axis=-1, keepdims=True)).astype("float32")


LOGITS = rand(4, 5, low=-2, high=2)
HARD = longs([1], [0], [4], [2])
SOFT = probabilities(4, 5)
case("cross_entropy", {"X": probabilities(4, 5), "Label": HARD}, outs="Y", grad="X")
case("cross_entropy", {"X": probabilities(4, 5), "Label": HARD}, {"ignore_index": 4}, outs="Y", grad="X")
case("cross_entropy", {"X": probabilities(4, 5), "Label": SOFT}, {"soft_label": True}, outs="Y", grad="X")
case("cross_entropy", {"X": probabilities(2, 3, 5), "Label": ints(2, 3, 1, high=5)}, outs="Y", grad="X")
case("cross_entropy2", {"X": probabilities(4, 5), "Label": HARD}, outs="Y MatchX", grad="X")
case("cross_entropy2", {"X": probabilities(4, 5), "Label": HARD}, {"ignore_index": 4}, outs="Y", grad="X")

swce = "softmax_with_cross_entropy"
case(swce, {"Logits": LOGITS, "Label": HARD}, outs="Loss Softmax", grad="Logits")
case(swce, {"Logits": LOGITS, "Label": HARD}, {"ignore_index": 4}, outs="Loss Softmax", grad="Logits")
case(swce, {"Logits": LOGITS, "Label": SOFT}, {"soft_label": True}, outs="Loss Softmax", grad="Logits")
cube = rand(2, 3, 4)
case(swce, {"Logits": cube, "Label": ints(2, 1, 4, high=3)}, {"axis": 1}, outs="Loss Softmax", grad="Logits")
case(swce, {"Logits": cube, "Label": probabilities(2, 3, 4)}, {"soft_label": True, "axis": 1}, "Loss", "Logits")

sce = "sigmoid_cross_entropy_with_logits"
zero_one = ints(4, 5, high=2).astype("float32")
some = np.where(np.arange(20).reshape(4, 5) % 3 == 0, -1.0, zero_one).astype("float32")
case(sce, {"X": LOGITS, "Label": SOFT}, grad="X")
case(sce, {"X": LOGITS, "Label": some}, {"ignore_index": -1}, grad="X")
case(sce, {"X": LOGITS, "Label": some}, {"ignore_index": -1, "normalize": True}, grad="X")
case(
    "sigmoid_focal_loss",
    {"X": LOGITS, "Label": ints(4, 1, high=6, dtype="int32"), "FgNum": np.array([3], "int32")},
    {"gamma": 2.0, "alpha": 0.25},
    grad="X",
)

case("bce_loss", {"X": rand(4, 3, low=0.1, high=0.9), "Label": zero_one[:, :3].copy()}, grad="X")
case(
    "log_loss",
    {"Predicted": rand(4, 1, low=0.1, high=0.9), "Labels": zero_one[:, :1].copy()},
    {"epsilon": 1e-4},
    "Loss",
    "Predicted",
)
case(
    "hinge_loss",
    {"Logits": spread(6, 1, step=0.7), "Labels": ints(6, 1, high=2).astype("float32")},
    {},
    "Loss",
    "Logits",
)
case(
    "modified_huber_loss",
    {"X": spread(6, 1, step=0.9), "Y": floats([0], [1], [0], [1], [1], [0])},
    {},
    "Out IntermediateVal",
    "X",
)
log_probability = np.log(probabilities(4, 5)).astype("float32")
with_zero = np.where(np.arange(20).reshape(4, 5) == 7, 0.0, SOFT).astype("float32")
for reduction in ("none", "mean", "sum", "batchmean"):
    case("kldiv_loss", {"X": log_probability, "Target": with_zero}, {"reduction": reduction}, "Loss", "X")
case("huber_loss", {"X": rand(5, 1, low=-2, high=2), "Y": rand(5, 1)}, {"delta": 0.5}, "Out Residual", "X Y")
pair = {"X": rand(3, 4, low=-2, high=2), "Y": rand(3, 4)}
case("smooth_l1_loss", pair, {"sigma": 1.0}, "Out Diff", "X Y")
weighted = dict(pair, InsideWeight=rand(3, 4, low=0, high=1), OutsideWeight=rand(3, 4, low=0, high=1))
case("smooth_l1_loss", weighted, {"sigma": 2.0}, "Out Diff", "X Y")
case("squared_l2_distance", pair, {}, "Out sub_result", "X Y")
case("squared_l2_distance", {"X": rand(3, 4), "Y": rand(1, 4)}, {}, "Out sub_result", "X Y")
case("bpr_loss", {"X": LOGITS, "Label": HARD}, {}, "Y", "X")
left_right = {"Left": rand(4, 1), "Right": rand(4, 1)}
case("rank_loss", dict(left_right, Label=floats([1], [0], [0.5], [1])), {}, "Out", "Left Right")
case(
    "margin_rank_loss",
    {"X1": spread(4, 1), "X2": spread(4, 1), "Label": floats([1], [-1], [1], [-1])},
    {"margin": 0.1},
    "Out Activated",
    "X1 X2",
)
teacher = {"X": rand(6, 1, low=-3, high=3), "Label": floats([-2], [-1], [0.3], [0.9], [1.2], [1.8])}
case("teacher_student_sigmoid_loss", teacher, {}, "Y", "X")
case("teacher_student_sigmoid_loss", teacher, {"soft_max_up_bound": 1.0, "soft_max_lower_bound": -1.0}, "Y", "X")
centers = {"X": rand(4, 3), "Label": longs(1, 0, 1, 2), "Centers": rand(3, 3), "CenterUpdateRate": floats(0.1)}
for update in (True, False):
    case("center_loss", centers, {"cluster_num": 3, "need_update": update}, "Loss SampleCenterDiff CentersOut", "X")
case("nll_loss", {"X": rand(4, 3), "Label": longs(1, 0, 2, 1)}, {"reduction": "none"}, "Out Total_weight", "X")
for reduction in ("mean", "sum"):
    weights = {"X": rand(4, 3), "Label": longs(1, 0, 2, 1), "Weight": rand(3, low=0.2, high=1.0)}
    case("nll_loss", weights, {"reduction": reduction, "ignore_index": 2}, "Out Total_weight", "X")

tree = {"X": rand(4, 3), "Label": longs([0], [1], [4], [5]), "W": rand(5, 3)}
case("hierarchical_sigmoid", tree, {"num_classes": 6}, "Out PreOut", "X W")
case("hierarchical_sigmoid", dict(tree, Bias=rand(5, 1)), {"num_classes": 6}, "Out PreOut", "X W Bias")
path = dict(
    tree,
    PathTable=longs([0, 2, -1], [0, 1, 2], [0, 1, 4], [0, 2, 3]),
    PathCode=longs([0, 0, -1], [1, 0, 0], [1, 0, 1], [0, 1, 0]),
)
case("hierarchical_sigmoid", path, {"num_classes": 5}, "Out PreOut", "X W")
case("label_smooth", {"X": np.eye(4, dtype="float32")}, {"epsilon": 0.1}, grad="X")
case("label_smooth", {"X": np.eye(4, dtype="float32"), "PriorDist": probabilities(1, 4)}, {"epsilon": 0.2}, grad="X")
cosine = {"X": rand(3, 4), "Y": rand(3, 4)}
case("cos_sim", cosine, {}, "Out XNorm YNorm", "X Y")
case("cos_sim", {"X": rand(3, 4), "Y": rand(1, 4)}, {}, "Out XNorm YNorm", "X Y")
