import numpy as np
from tests.ops.cases import case, rand, refuse

# Fluid has this operator on GPUs alone.
case("batch_fc", Input=rand(2, 3, 4), W=rand(2, 4, 5), Bias=rand(2, 5),
     expect=lambda Input, W, Bias: np.matmul(Input, W) + Bias[:, None])  # fmt: skip
refuse("batch_fc", Input=rand(2, 3, 4), W=rand(2, 3, 5), Bias=rand(2, 5),
       says="Input must be [2, N, 3] for W [2, 3, 5], got [2, 3, 4]")  # fmt: skip
refuse("batch_fc", Input=rand(2, 3, 4), W=rand(2, 4, 5), Bias=rand(5),
       says="Bias must be [2, 5] for W [2, 4, 5], got [5]")  # fmt: skip
refuse("batch_fc", Input=rand(2, 3, 4), W=rand(4, 5), Bias=rand(2, 5),
       says="W must be [slots, width, outputs], got [4, 5]")  # fmt: skip
