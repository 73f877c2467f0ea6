"""Rows of edit_distance and chunk_eval."""

import numpy as np
from tests.ops.cases import case, fixture, ints, ragged, refuse

HYPS, REFS = np.array([[1, 2, 3, 4], [1, 1, 0, 0]]), np.array([[1, 3, 4, 9, 9], [2, 0, 0, 0, 0]])


def lengths(hyps, refs):
    return {"HypsLength": np.array(hyps), "RefsLength": np.array(refs)}


case("edit_distance", Hyps=HYPS, Refs=REFS, **lengths([4, 2], [3, 1]), expect=lambda: ([2], [[1.0], [2.0]]))
case("edit_distance", Hyps=HYPS, Refs=REFS, **lengths([4, 0], [0, 1]), expect=lambda: ([2], [[4.0], [1.0]]))
case(
    "edit_distance",
    Hyps=ragged([[4, 2]], data=np.array([[1], [2], [3], [4], [1], [1]])),
    Refs=ragged([[3, 1]], data=np.array([[1], [3], [4], [2]])),
    normalized=True,
    expect=lambda: ([2], [[1 / 3], [2.0]]),
    expect_lod={"Out": [], "SequenceNum": []},
)
case(  # what ctc_align gives where all labels are blank
    "edit_distance",
    Hyps=ragged([[0, 0]], data=np.array([[-1]])),
    Refs=ragged([[3, 1]], data=np.array([[1], [3], [4], [2]])),
    expect=lambda: ([2], [[3.0], [1.0]]),
)
refuse(
    "edit_distance",
    Hyps=HYPS,
    Refs=REFS,
    **lengths([4, 2], [3, 0]),
    normalized=True,
    says="sequence 1 of Refs is empty, so that its distance cannot be normalized",
)
refuse("edit_distance", Hyps=ints(4, 1), Refs=ints(4, 1), says="Hyps must be a LoDTensor with at least one level")
fixture("edit_distance")

# Two types in IOB: 0 begins type 0, 1 continues it, 2 and 3 do so for type 1, 4 is outside.
TAGS, TRUTH = [0, 1, 4, 2, 3, 2, 1], [0, 1, 4, 2, 2, 2, 1]
case(
    "chunk_eval",
    Inference=ragged([[3, 4]], data=np.array(TAGS).reshape(-1, 1)),
    Label=ragged([[3, 4]], data=np.array(TRUTH).reshape(-1, 1)),
    num_chunk_types=2,
    chunk_scheme="IOB",
    expect=lambda: ([3 / 4], [3 / 5], [2 / 3], [4], [5], [3]),
    batch="Inference Label",
)
case(
    "chunk_eval",
    Inference=np.array([[*TAGS[:3], 0], TAGS[3:]]),
    Label=np.array([[*TRUTH[:3], 1], TRUTH[3:]]),
    SeqLength=np.array([3, 4]),
    num_chunk_types=2,
    excluded_chunk_types=[1],
    expect=lambda: ([1.0], [1.0], [1.0], [2], [2], [2]),
)
case(
    "chunk_eval",
    Inference=np.array([[2, 2]]),
    Label=np.array([[0, 2]]),
    SeqLength=np.array([2]),
    num_chunk_types=2,
    chunk_scheme="plain",
    expect=lambda: ([0.0], [0.0], [0.0], [0], [1], [0]),
)
for scheme, tags in (("IOE", [0, 1, 0, 1, 0]), ("IOBES", [0, 2, 3, 3, 8])):  # two chunks and one, or three
    case(
        "chunk_eval",
        Inference=np.array([tags]),
        Label=np.array([tags]),
        SeqLength=np.array([5]),
        num_chunk_types=2,
        chunk_scheme=scheme,
        expect=lambda: ([1.0], [1.0], [1.0], [3], [3], [3]),
    )
refuse(
    "chunk_eval",
    Inference=np.array([[5]]),
    Label=np.array([[0]]),
    SeqLength=np.array([1]),
    num_chunk_types=2,
    says="Inference holds 5 at row 0, but the tagging has 5 classes",
)
refuse(
    "chunk_eval",
    Inference=ints(1, 2),
    Label=ints(1, 2),
    num_chunk_types=2,
    chunk_scheme="BIO",
    says="chunk_scheme must be one of IOB, IOE, IOBES, plain, got 'BIO'",
)
fixture("chunk_eval")
