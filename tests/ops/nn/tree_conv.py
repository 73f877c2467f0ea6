import numpy as np
from tests.ops.cases import case, rand, refuse

# Recorded from 1.8.5 with a filter that is 1 for one of l, r, t: what each node gives to node 1 of the tree
# 1 -> (2, 3, 4), 2 -> (5, 6).
EDGES = np.array([[[1, 2], [1, 3], [1, 4], [2, 5], [2, 6], [0, 0]]], "int32")
OF_ROOT = {
    2: [[0, 0, 0.25, 0.5, 0, 0], [0, 0.5, 0.375, 0.25, 0, 0], [1, 0.5, 0.5, 0.5, 0, 0]],
    3: [
        [0, 0, 1 / 6, 1 / 3, 0, 2 / 3],
        [0, 1 / 3, 5 / 18, 2 / 9, 2 / 3, 2 / 9],
        [1, 2 / 3, 2 / 3, 2 / 3, 1 / 3, 1 / 3],
    ],
}
OF_SECOND = {
    2: [[0, 0, 0, 0, 0, 0.5], [0, 0, 0, 0, 0.5, 0.25], [0, 1, 0, 0, 0.5, 0.5]],
    3: [[0, 0, 0, 0, 0, 1 / 3], [0, 0, 0, 0, 1 / 3, 2 / 9], [0, 1, 0, 0, 2 / 3, 2 / 3]],
}


def convolved(NodesVector, EdgeSet, Filter, max_depth):
    shares = np.zeros((6, 6, 3))
    shares[0], shares[1] = np.transpose(OF_ROOT[max_depth]), np.transpose(OF_SECOND[max_depth])
    for leaf in range(2, 6):
        shares[leaf, leaf, 2] = 1
    return np.einsum("nmk,bmf,fkoq->bnoq", shares, NodesVector, Filter)


for max_depth in (2, 3):
    case("tree_conv", NodesVector=rand(1, 6, 2), EdgeSet=EDGES, Filter=rand(2, 3, 3, 2), max_depth=max_depth,
         expect=convolved, batch="NodesVector EdgeSet")  # fmt: skip


def of_one_child(NodesVector, EdgeSet, Filter, max_depth):
    """Spare nodes get nothing; an only child stands in the middle."""
    shares = np.zeros((4, 4, 3))
    shares[0, 0], shares[0, 1], shares[1, 1] = [0, 0, 1], [0.25, 0.375, 0.5], [0, 0, 1]
    return np.einsum("nmk,bmf,fkoq->bnoq", shares, NodesVector, Filter)


case("tree_conv", NodesVector=rand(2, 4, 2), EdgeSet=np.array([[[1, 2], [0, 0]]] * 2, "int32"),
     Filter=rand(2, 3, 1, 1), max_depth=2, batch="NodesVector EdgeSet",
     expect=of_one_child)  # fmt: skip

refuse("tree_conv", NodesVector=rand(1, 6, 2), EdgeSet=EDGES, Filter=rand(2, 3, 3, 2), max_depth=1,
       says="max_depth must be 2 or more, got 1")  # fmt: skip
refuse("tree_conv", NodesVector=rand(1, 6, 2), EdgeSet=EDGES, Filter=rand(3, 3, 3, 2), max_depth=2,
       says="Filter must be [2, 3, ...], got [3, 3, 3, 2]")  # fmt: skip
refuse("tree_conv", NodesVector=rand(1, 6), EdgeSet=EDGES, Filter=rand(2, 3, 3, 2), max_depth=2,
       says="NodesVector must be [N, nodes, F] and EdgeSet [N, edges, 2], got [1, 6]")  # fmt: skip
