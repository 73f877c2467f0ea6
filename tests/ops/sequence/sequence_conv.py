import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

# Case 3 looks one row ahead in a sequence of one row; there Fluid's gradient of Filter is not the slope.
fixture("sequence_conv", batch="X", skip={3: "a fault of Fluid's"})


def convolved(X, X_lod, Filter, contextStart, contextLength, PaddingData):
    before = max(0, -contextStart)
    rows = []
    for part in np.split(X, np.cumsum(X_lod[-1])[:-1]):
        for i in range(len(part)):
            window = []
            for at in range(i + contextStart, i + contextStart + contextLength):
                if 0 <= at < len(part):
                    window.append(part[at])
                elif PaddingData is None:
                    window.append(np.zeros(X.shape[1]))
                else:
                    window.append(PaddingData[at + before if at < 0 else before + at - len(part)])
            rows.append(np.concatenate(window) @ Filter)
    return np.array(rows)


for start, length in ((-1, 3), (0, 2), (-2, 2), (1, 2), (-2, 5), (-4, 2), (0, 1)):
    for lengths in ([[4, 1, 2]], [[0, 3, 0, 2]], [[2, 1], [1, 2, 3]]):
        case("sequence_conv", X=ragged(lengths, 2), Filter=rand(2 * length, 3), contextStart=start,
             contextLength=length, expect=convolved, expect_lod="X", batch="X")  # fmt: skip
for start, length in ((-1, 3), (-2, 5)):
    case("sequence_conv", X=ragged([[4, 1, 2]], 2), Filter=rand(2 * length, 3), PaddingData=rand(length - 1, 2),
         paddingTrainable=True, contextStart=start, contextLength=length, expect=convolved, batch="X")  # fmt: skip

refuse(
    "sequence_conv",
    X=rand(4, 2),
    Filter=rand(6, 3),
    contextLength=3,
    says="X must be a LoDTensor with at least one level; feed it with fluid.create_lod_tensor",
)
refuse("sequence_conv", X=ragged([[2, 2]], 2), Filter=rand(5, 3), contextLength=3,
       says="Filter must have contextLength * columns of X = 3 * 2 = 6 rows, got 5")  # fmt: skip
refuse("sequence_conv", X=ragged([[2, 2]], 2), Filter=rand(6, 3), contextLength=3, contextStride=2,
       says="contextStride must be 1, got 2")  # fmt: skip
