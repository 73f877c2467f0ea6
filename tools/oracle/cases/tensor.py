"""BaseVariable whose broadcasting, signs or ties are conventions."""

import numpy as np

from cases.table import case, floats, longs, rand, spread

wide, narrow = rand(2, 3, 4, 5, low=0.5, high=2.0), rand(3, 4, low=0.5, high=2.0)
for name in ("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "elementwise_pow"):
    case(name, {"X": wide, "Y": narrow}, {"axis": 1}, grad="X Y")
for name in ("elementwise_max", "elementwise_min"):
    case(name, {"X": spread(2, 3), "Y": spread(2, 3)}, {"axis": -1}, grad="X Y")
    case(name, {"X": floats(1, 2, 3), "Y": floats(2, 2, 2)}, {"axis": -1}, grad="X Y")
case("elementwise_mul", {"X": rand(2, 3, 4), "Y": rand(2, 1)}, {"axis": 0}, grad="X Y")
case("elementwise_add", {"X": rand(2, 1, 4), "Y": rand(2, 3, 4)}, {"axis": -1})
signed = longs(7, -7, 7, -7), longs(3, 3, -3, -3)
for name in ("elementwise_mod", "elementwise_floordiv"):
    case(name, {"X": signed[0], "Y": signed[1]}, {"axis": -1})
case("elementwise_mod", {"X": floats(7, -7, 7, -7), "Y": floats(3, 3, -3, -3)}, {"axis": -1})
case("minus", {"X": rand(2, 3), "Y": rand(2, 3)}, grad="X Y")
case("mul", {"X": rand(2, 3, 2, 2), "Y": rand(4, 1, 3)}, {"x_num_col_dims": 2, "y_num_col_dims": 1}, grad="X Y")
case("matmul", {"X": rand(2, 3, 4), "Y": rand(2, 5, 4)}, {"transpose_Y": True, "alpha": 0.5}, grad="X Y")
case("matmul", {"X": rand(2, 3, 4), "Y": rand(4, 2)}, {}, grad="X Y")
case("matmul", {"X": rand(4), "Y": rand(4)}, {}, grad="X Y")
case("matmul", {"X": rand(4), "Y": rand(2, 4, 3)}, {}, grad="X Y")
case("matmul", {"X": rand(4, 3), "Y": rand(4, 2)}, {"transpose_X": True}, grad="X Y")
case("addmm", {"Input": rand(2, 3), "X": rand(2, 4), "Y": rand(4, 3)}, {"Alpha": 0.5, "Beta": 2.0}, grad="Input X Y")
case("bmm", {"X": rand(2, 3, 4), "Y": rand(2, 4, 2)}, grad="X Y")
case("dot", {"X": rand(2, 3), "Y": rand(2, 3)}, grad="X Y")
case("cross", {"X": rand(2, 3), "Y": rand(2, 3)}, {"dim": 1}, grad="X Y")
case("kron", {"X": rand(2, 2), "Y": rand(1, 3)}, grad="X Y")
for name in ("reduce_max", "reduce_min", "reduce_prod", "reduce_sum", "reduce_mean"):
    data = spread(2, 3, 2)
    case(name, {"X": data}, {"dim": [1], "keep_dim": False}, grad="X")
    case(name, {"X": data}, {"dim": [0, -1], "keep_dim": True}, grad="X")
    case(name, {"X": data}, {"reduce_all": True}, grad="X")
case("reduce_max", {"X": floats([1, 3, 3], [2, 2, 2])}, {"dim": [1]}, grad="X")
case("reduce_all", {"X": np.array([[True, False], [True, True]])}, {"dim": [1]})
case("reduce_any", {"X": np.array([[True, False], [False, False]])}, {"dim": [1], "keep_dim": True})
case("mean", {"X": rand(2, 3)}, grad="X")
case("sum", {"X": [rand(2, 3), rand(2, 3), rand(2, 3)]}, grad="X")
case("isfinite", {"X": floats(1, np.inf, 2)})
case("isnan", {"X": floats(1, np.nan, 2)})
case("isinf", {"X": floats(1, 2, 3)})
case("allclose", {"Input": floats(1.0, 2.0), "Other": floats(1.0, 2.001)}, {"rtol": 1e-2, "atol": 0.0})
case("scale", {"X": rand(2, 3)}, {"scale": 2.0, "bias": 0.5, "bias_after_scale": False}, grad="X")
case("increment", {"X": floats(3.0)}, {"step": 2.0})
case("linspace", {"Start": floats(1.0), "Stop": floats(3.0), "Num": np.array([5], "int32")}, {"dtype": 5})
case("range", {"Start": floats(1.0), "End": floats(6.0), "Step": floats(2.0)})
case("fsp", {"X": rand(2, 3, 2, 2), "Y": rand(2, 2, 2, 2)}, grad="X Y")
