"""multihead_matmul, which 1.8.5 has for GPUs alone: compared with numpy."""

import numpy as np
from tests.ops.cases import case, rand, refuse


def attention(Input, W, Bias, BiasQK, alpha, head_number):
    batch, length, _ = Input.shape
    parts = np.einsum("bsh,hpd->pbsd", Input, W) + Bias[:, None, None, :]
    heads = parts.reshape(3, batch, length, head_number, -1).transpose(0, 1, 3, 2, 4)
    scores = alpha * heads[0] @ heads[1].transpose(0, 1, 3, 2) + BiasQK
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return (weights @ heads[2]).transpose(0, 2, 1, 3).reshape(batch, length, -1)


given = {"Input": rand(2, 3, 4), "W": rand(4, 3, 6), "Bias": rand(3, 6), "alpha": 0.5, "head_number": 2}
case("multihead_matmul", **given, BiasQK=rand(2, 2, 3, 3), expect=attention, batch="Input BiasQK")
case("multihead_matmul", **given, BiasQK=rand(2, 1, 1, 3), expect=attention, batch="Input BiasQK")
refuse("multihead_matmul", **{**given, "head_number": 4}, BiasQK=rand(2, 1, 1, 3), says="D divisible by 4 heads")
