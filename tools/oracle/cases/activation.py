"""Activations and unary math, also at their kinks, where the gradient is a convention."""

import numpy as np

from cases.table import case, floats, rand, spread

SMOOTH = spread(3, 4, step=0.31)
POSITIVE = rand(3, 4, low=0.2, high=3.0)
INSIDE = rand(3, 4, low=-0.9, high=0.9)

for name in "sigmoid logsigmoid tanh tanh_shrink exp sin cos atan square softplus softsign ceil floor round".split():
    case(name, {"X": SMOOTH}, grad="X")
for name in "sqrt rsqrt log log1p reciprocal".split():
    case(name, {"X": POSITIVE}, grad="X")
for name in "acos asin".split():
    case(name, {"X": INSIDE}, grad="X")
case("erf", {"X": SMOOTH}, grad="X")
case("sign", {"X": floats(-2.0, -0.5, 0.0, 0.5)}, grad="X")
for approximate in (False, True):
    case("gelu", {"X": SMOOTH}, {"approximate": approximate}, grad="X")

# the type, other settings than the default, the places where the function bends under the default settings
BENT = [
    ("relu", {}, [0]),
    ("abs", {}, [0]),
    ("relu6", {"threshold": 1.0}, [0, 6]),
    ("brelu", {"t_min": -0.5, "t_max": 1.2}, [0, 24]),
    ("leaky_relu", {"alpha": 0.3}, [0]),
    ("elu", {"alpha": 0.3}, [0]),
    ("selu", {"scale": 1.5, "alpha": 0.7}, [0]),
    ("soft_relu", {"threshold": 1.0}, [-40, 40]),
    ("softshrink", {"lambda": 0.4}, [-0.5, 0.5]),
    ("hard_shrink", {"threshold": 0.7}, [-0.5, 0.5]),
    ("hard_sigmoid", {"slope": 0.4, "offset": 0.3}, [-2.5, 2.5]),
    ("hard_swish", {"threshold": 4.0, "scale": 5.0, "offset": 2.0}, [-3, 3]),
    ("thresholded_relu", {"threshold": 0.5}, [1]),
    ("stanh", {"scale_a": 0.5, "scale_b": 1.5}, []),
    ("swish", {"beta": 1.7}, []),
    ("mish", {"threshold": 1.0}, []),
    ("pow", {"factor": 3.0}, []),
]
for name, settings, bends in BENT:
    case(name, {"X": SMOOTH}, grad="X")
    if settings:
        case(name, {"X": SMOOTH}, settings, grad="X")
    if bends:
        case(name, {"X": floats(*[bend + shift for bend in bends for shift in (-0.5, 0.0, 0.5)])}, grad="X")
case("softplus", {"X": floats(-60.0, -20.0, 0.0, 20.0, 60.0)}, grad="X")
case("logsigmoid", {"X": floats(-60.0, -20.0, 0.0, 20.0, 60.0)}, grad="X")
case("pow", {"X": POSITIVE, "FactorTensor": floats(2.5)}, grad="X")

IMAGE = spread(2, 4, 2, 2, step=0.13)
case("prelu", {"X": IMAGE, "Alpha": floats(0.3)}, {"mode": "all"}, grad="X Alpha")
case("prelu", {"X": IMAGE, "Alpha": rand(1, 4, 1, 1)}, {"mode": "channel"}, grad="X Alpha")
case("prelu", {"X": IMAGE, "Alpha": rand(1, 4, 2, 2)}, {"mode": "element"}, grad="X Alpha")
case("maxout", {"X": IMAGE}, {"groups": 2}, grad="X")
case("maxout", {"X": np.transpose(IMAGE, [0, 2, 3, 1]).copy()}, {"groups": 2, "axis": 3}, grad="X")
case("softmax", {"X": SMOOTH}, grad="X")
case("softmax", {"X": IMAGE}, {"axis": 1}, grad="X")
case("clip", {"X": floats(-1.0, -0.5, 0.0, 0.5, 1.0)}, {"min": -0.5, "max": 0.5}, grad="X")
case("clip_by_norm", {"X": SMOOTH}, {"max_norm": 1.0})
case("clip_by_norm", {"X": SMOOTH}, {"max_norm": 100.0})
