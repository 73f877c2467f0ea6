import numpy as np
from tests.ops.cases import case, rand, refuse

ACTIVATIONS = [lambda x: x, lambda x: 1 / (1 + np.exp(-x)), np.tanh, lambda x: np.maximum(x, 0)]


def step(Input, HiddenPrev, Weight, Bias, activation, gate_activation, origin_mode):
    size = HiddenPrev.shape[1]
    of_gates = Weight.ravel()[: 2 * size * size].reshape(size, 2 * size)
    of_candidate = Weight.ravel()[2 * size * size :].reshape(size, size)
    parts = Input if Bias is None else Input + Bias
    gates = ACTIVATIONS[gate_activation](parts[:, : 2 * size] + HiddenPrev @ of_gates)
    u, r = gates[:, :size], gates[:, size:]
    c = ACTIVATIONS[activation](parts[:, 2 * size :] + (r * HiddenPrev) @ of_candidate)
    hidden = u * HiddenPrev + (1 - u) * c if origin_mode else (1 - u) * HiddenPrev + u * c
    return np.concatenate([gates, c], 1), r * HiddenPrev, hidden


for origin_mode in (False, True):
    for gate_activation, activation in ((1, 2), (1, 3), (0, 1), (2, 0)):
        case("gru_unit", Input=rand(4, 6), HiddenPrev=rand(4, 2), Weight=rand(2, 6), Bias=rand(1, 6),
             gate_activation=gate_activation, activation=activation, origin_mode=origin_mode,
             expect=step, batch="Input HiddenPrev")  # fmt: skip
case("gru_unit", Input=rand(1, 9), HiddenPrev=rand(1, 3), Weight=rand(3, 9), expect=step)

refuse("gru_unit", Input=rand(4, 5), HiddenPrev=rand(4, 2), Weight=rand(2, 6),
       says="HiddenPrev has 2 columns, so Input must have 6 and Weight be [2, 6], got [4, 5] and [2, 6]")  # fmt: skip
refuse("gru_unit", Input=rand(4, 6), HiddenPrev=rand(4, 2), Weight=rand(2, 6), activation=7,
       says="activations must be 0 to 3, got 7 and 1")  # fmt: skip
