"""Rows of fc."""

import numpy as np
from tests.ops.cases import case, ints, ragged, rand, refuse


def fc(Input, W, Bias=None, in_num_col_dims=1, activation_type=""):
    out = Input.reshape(int(np.prod(Input.shape[:in_num_col_dims])), -1) @ W
    out = out.reshape(*Input.shape[:in_num_col_dims], W.shape[1]) + (0 if Bias is None else Bias.ravel())
    return np.maximum(out, 0) if activation_type == "relu" else out


case("fc", Input=rand(3, 4), W=rand(4, 5), Bias=rand(5), expect=fc)
case("fc", Input=rand(3, 4), W=rand(4, 5), expect=fc)
case("fc", Input=rand(64, 4), W=rand(4, 3), Bias=rand(3), expect=fc)  # few columns are multiplied another way
case("fc", Input=rand(2, 3, 4), W=rand(12, 5), Bias=rand(1, 5), expect=fc)
case("fc", Input=rand(2, 3, 4), W=rand(4, 5), Bias=rand(5), in_num_col_dims=2, expect=fc)
case("fc", Input=rand(3, 4), W=rand(4, 5), Bias=rand(5), activation_type="relu", expect=fc)
case("fc", Input=ragged(lengths=[[1, 2]], width=4), W=rand(4, 5), Bias=rand(5), expect=fc, expect_lod="Input")
refuse("fc", Input=ints(3, 4), W=rand(4, 5), says="fc: Input must be floating point, got int64")
refuse("fc", Input=rand(3, 4), W=rand(3, 5), says="fc: Input flattened from axis 1 has 4 columns, but W has 3 rows")
refuse("fc", Input=rand(3, 4), W=rand(4, 5), in_num_col_dims=2, says="fc: Input of rank 2 cannot be flattened")
refuse("fc", Input=rand(3, 4), W=rand(4), says="fc: W must be a matrix, got [4]")
refuse("fc", Input=rand(3, 4), W=rand(4, 5), Bias=rand(4), says="fc: Bias must have one element for each of the 5")
refuse("fc", Input=rand(3, 4), W=rand(4, 5), activation_type="tanh", says="fc: activation_type must be 'relu' or ''")
