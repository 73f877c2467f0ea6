import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("sequence_pad")


def padded(X, X_lod, PadValue, padded_length):
    lengths = np.array(X_lod[0])
    size = max(lengths) if padded_length == -1 else padded_length
    out = np.empty((len(lengths), size, *X.shape[1:]))
    out[:] = PadValue
    for i, part in enumerate(np.split(X, np.cumsum(lengths)[:-1])):
        out[i, : len(part)] = part
    return out, lengths


for size in (-1, 4, 6):
    case("sequence_pad", X=ragged([[3, 0, 4, 1]], 2), PadValue=rand(1), padded_length=size, expect=padded, batch="X")
    case("sequence_pad", X=ragged([[3, 0, 4]], (2, 3)), PadValue=rand(2, 3), padded_length=size, expect=padded)
case("sequence_pad", X=ragged([[2, 1]], 2), PadValue=rand(1), expect=padded, expect_lod=[], batch="")

refuse(
    "sequence_pad",
    X=rand(4, 2),
    PadValue=rand(1),
    says="X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
refuse("sequence_pad", X=ragged([[3, 1]], 2), PadValue=rand(1), padded_length=2,
       says="padded_length must be at least 3, the longest sequence, got 2")  # fmt: skip
refuse("sequence_pad", X=ragged([[3, 1]], 2), PadValue=rand(3),
       says="PadValue must be one number or a row [2], got [3]")  # fmt: skip
