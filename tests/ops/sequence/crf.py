"""Rows of linear_chain_crf and crf_decoding: recorded, and against all possible tag sequences."""

from itertools import pairwise, product

import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, rand, refuse

fixture("linear_chain_crf")
fixture("crf_decoding")


def scores(x, transition):
    """(tags, score) of every possible sequence of tags for the rows x."""
    for tags in product(range(x.shape[1]), repeat=len(x)):
        score = transition[0, tags[0]] + transition[1, tags[-1]] + sum(x[i, tag] for i, tag in enumerate(tags))
        yield tags, score + sum(transition[2 + a, b] for a, b in pairwise(tags))


def cost(x, transition, label):
    if not len(x):
        return 0.0
    all_of_them = dict(scores(x, transition))
    return np.log(sum(map(np.exp, all_of_them.values()))) - all_of_them[tuple(label)]


def best(x, transition):
    return max(scores(x, transition), key=lambda one: one[1])[0] if len(x) else ()


def cut(values, lengths):
    return np.split(values, np.cumsum(lengths)[:-1])


def costs(Emission, Emission_lod, Transition, Label):
    pairs = zip(cut(Emission, Emission_lod[0]), cut(Label.reshape(-1), Emission_lod[0]))
    return {"LogLikelihood": np.array([[cost(x, Transition, label)] for x, label in pairs])}


def padded_costs(Emission, Transition, Label, Length):
    rows = zip(Emission, Label.reshape(len(Emission), -1), Length.reshape(-1))
    return {"LogLikelihood": np.array([[cost(x[:n], Transition, label[:n])] for x, label, n in rows])}


def padded_path(Emission, Transition, Length):
    path = np.zeros(Emission.shape[:2], "int64")
    for i, n in enumerate(Length.reshape(-1)):
        path[i, :n] = best(Emission[i, :n], Transition)
    return path


LENGTHS = [[2, 0, 4, 1]]
TAGS = ragged(LENGTHS, data=ints(7, 1, high=3))
case("linear_chain_crf", Emission=ragged(LENGTHS, 3, dtype="float64"), Transition=rand(5, 3), Label=TAGS, expect=costs)
case("linear_chain_crf", Emission=ragged([[3]], 2, dtype="float64"), Transition=rand(4, 2),
     Label=ragged([[3]], data=ints(3, 1, high=2)), expect=costs)  # fmt: skip
PADDED = {"Emission": rand(3, 4, 3), "Transition": rand(5, 3), "Length": np.array([[4], [1], [2]])}
case("linear_chain_crf", **PADDED, Label=ints(3, 4, 1, high=3), expect=padded_costs)
case("linear_chain_crf", **PADDED, Label=ints(3, 4, high=3), expect=padded_costs)

case("crf_decoding", Emission=ragged(LENGTHS, 3, dtype="float64"), Transition=rand(5, 3), expect_lod="Emission",
     expect=lambda Emission, Emission_lod, Transition: np.concatenate(
         [best(x, Transition) for x in cut(Emission, Emission_lod[0])]).reshape(-1, 1).astype("int64"))  # fmt: skip
case("crf_decoding", **PADDED, expect=padded_path)
case("crf_decoding", **PADDED, Label=ints(3, 4, 1, high=3),
     expect=lambda Emission, Transition, Label, Length: (
         (padded_path(Emission, Transition, Length) == Label[:, :, 0])
         & (np.arange(4) < Length)).astype("int64"))  # fmt: skip

refuse("linear_chain_crf", Emission=rand(3, 3), Transition=rand(5, 3), Label=ints(3, 1, high=3),
       says="Emission must be a LoDTensor with at least one level")  # fmt: skip
refuse("linear_chain_crf", Emission=ragged([[3]], 3), Transition=rand(3, 3).astype("float32"), Label=ints(3, 1),
       says="Transition must be [5, 3] for 3 tags, got shape [3, 3]")  # fmt: skip
refuse("linear_chain_crf", Emission=ragged([[3]], 3), Transition=rand(5, 3).astype("float32"),
       Label=np.array([[0], [3], [1]]), says="Label must be from 0 to 2, got 0 to 3")  # fmt: skip
refuse("linear_chain_crf", Emission=ragged([[3]], 3), Transition=rand(5, 3).astype("float32"), Label=ints(2, 1),
       says="Label must be [3, 1], a tag per row, got shape [2, 1]")  # fmt: skip
refuse("crf_decoding", Emission=rand(2, 4, 3), Transition=rand(5, 3), Length=np.array([[5], [1]]),
       says="Length must be from 0 to 4, got [5, 1]")  # fmt: skip
refuse("crf_decoding", Emission=rand(2, 3), Transition=rand(5, 3), Length=np.array([[1], [1]]),
       says="Emission must be [sequences, padded length, tags] where Length is given, got shape [2, 3]")  # fmt: skip
