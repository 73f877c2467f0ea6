import numpy as np
from tests.ops.cases import case, rand, refuse


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def one_direction(x, h, c, w, r, bias):
    outs = []
    for step in x:
        i, f, g, o = np.split(step @ w.T + h @ r.T + bias, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outs.append(h)
    return np.stack(outs), h, c


def network(Input, InitH, InitC, W, hidden_size, num_layers, is_bidirec):
    directions, at, matrices = 2 if is_bidirec else 1, 0, []

    def take(*shape):
        nonlocal at
        at += int(np.prod(shape))
        return W[at - int(np.prod(shape)) : at].reshape(shape)

    for layer in range(num_layers):
        width = Input.shape[2] if layer == 0 else directions * hidden_size
        matrices += [(take(4 * hidden_size, width), take(4 * hidden_size, hidden_size)) for _ in range(directions)]
    biases = [take(4 * hidden_size) + take(4 * hidden_size) for _ in matrices]
    x, last_h, last_c = Input, [], []
    for layer in range(num_layers):
        outs = []
        for direction in range(directions):
            k = layer * directions + direction
            turned = x[::-1] if direction else x
            out, h, c = one_direction(turned, InitH[k], InitC[k], *matrices[k], biases[k])
            outs.append(out[::-1] if direction else out)
            last_h.append(h)
            last_c.append(c)
        x = np.concatenate(outs, 2)
    return x, np.stack(last_h), np.stack(last_c)


for layers, both, count in ((1, False, 88), (2, False, 136), (2, True, 304)):
    rows = layers * (2 if both else 1)
    case("cudnn_lstm", Input=rand(3, 2, 7), InitH=rand(rows, 2, 2), InitC=rand(rows, 2, 2), W=rand(count), input_size=7,
         hidden_size=2, num_layers=layers, is_bidirec=both, expect=network, batch="")  # fmt: skip
case("cudnn_lstm", Input=rand(3, 2, 7), InitH=rand(2, 2, 2), InitC=rand(2, 2, 2), W=rand(136), input_size=7,
     hidden_size=2, num_layers=2, dropout_prob=0.5, is_test=True, expect=network, batch="")  # fmt: skip
# The drops are the same with the same seed, so the gradient may be compared with the slope.
case("cudnn_lstm", Input=rand(3, 2, 7), InitH=rand(2, 2, 2), InitC=rand(2, 2, 2), W=rand(136), input_size=7,
     hidden_size=2, num_layers=2, dropout_prob=0.5, seed=3, batch="")  # fmt: skip
refuse("cudnn_lstm", Input=rand(3, 2, 7), InitH=rand(1, 2, 2), InitC=rand(1, 2, 2), W=rand(10), input_size=7,
       hidden_size=2, says="W must have 88 elements, got 10")  # fmt: skip
refuse("cudnn_lstm", Input=rand(3, 2, 7), InitH=rand(2, 2, 2), InitC=rand(1, 2, 2), W=rand(88), input_size=7,
       hidden_size=2, says="InitH and InitC must be [1, 2, 2], got [2, 2, 2] and [1, 2, 2]")  # fmt: skip
