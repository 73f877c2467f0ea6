"""Rows of positive_negative_pair."""

import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

OP = "positive_negative_pair"
RANKED = {
    "Score": np.array([[0.1], [0.5], [0.5], [0.9], [0.2], [0.7]]),
    "Label": np.array([[0.0], [1.0], [0.0], [1.0], [1.0], [0.0]]),
    "QueryID": np.array([[1], [1], [1], [1], [2], [2]]),
}
case(OP, **RANKED, expect=lambda: (np.array([3.0]), np.array([2.0]), np.array([1.0])))
case(
    OP,
    **RANKED,
    Weight=np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]),
    AccumulatePositivePair=np.array([1.0]),
    AccumulateNegativePair=np.array([2.0]),
    AccumulateNeutralPair=np.array([3.0]),
    expect=lambda: (np.array([8.5]), np.array([10.0]), np.array([5.5])),
    batch="Score Label QueryID Weight",
)
refuse(OP, **{**RANKED, "Label": rand(5, 1)}, says="Score has 6 rows, but Label has 5 elements")
fixture(OP)
