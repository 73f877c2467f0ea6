import numpy as np
from tests.ops.cases import case, fixture, refuse

fixture("tdm_sampler")

TRAVEL = np.array([[1, 3], [1, 4], [2, 5], [2, 0]])
LAYER = np.arange(1, 8).reshape(-1, 1)
TREE = {"Travel": TRAVEL, "Layer": LAYER, "layer_offset_lod": [0, 2, 7]}


def drawn(X, Out, Labels, Mask):
    """The way itself, and three others of the second layer, all different; zeros where it has ended."""
    ways = TRAVEL[X[:, 0]]
    going_on = ways[:, 1] != 0
    fine = (Out[:, 0] == ways[:, 0]).all() and (Out[:, 1] == ways[:, 1]).all()
    for row, way in zip(Out[going_on], ways[going_on], strict=True):
        others = set(row[2:].tolist())
        fine = fine and len(others) == 3 and others <= {3, 4, 5, 6, 7} - {way[1]}
    fine = fine and (Out[~going_on, 1:] == 0).all() and (Mask[~going_on, 1:] == 0).all() and Mask[going_on].all()
    return fine and (Labels == np.stack([np.ones_like(going_on), going_on, *[0 * going_on] * 3], 1)).all()


case("tdm_sampler", X=np.array([[0], [1], [2], [3], [2]]), neg_samples_num_list=[0, 3], dtype=3, check=drawn,
     modes=False, why="the modes draw from different places of the stream", **TREE)  # fmt: skip

refuse(
    "tdm_sampler", X=np.array([[4]]), neg_samples_num_list=[0, 0], says="X has leaf 4, but Travel has 0 to 3", **TREE
)
refuse("tdm_sampler", X=np.array([[0]]), neg_samples_num_list=[2, 0], **TREE,
       says="layer 0 has 2 nodes, so at most 1 others can be drawn, got 2")  # fmt: skip
refuse("tdm_sampler", X=np.array([[0]]), neg_samples_num_list=[0], **TREE,
       says="Travel must be [leaves, layers] with as many layers as")  # fmt: skip
refuse("tdm_sampler", X=np.array([0]), neg_samples_num_list=[0, 0], says="X must be leaves [N, 1], got [1]", **TREE)
