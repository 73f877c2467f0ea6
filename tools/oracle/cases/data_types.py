"""Numbers kept in eight bits and what they stand for, and other data types that few programs have."""

import numpy as np

from cases.table import case, floats, ints, longs, rand

case(
    "dequantize_abs_max",
    {"X": ints(3, 4, low=-127, high=128, dtype="int8"), "Scale": floats(0.7)},
    {"max_range": 127.0},
)
case("dequantize_log", {"X": ints(3, 4, low=-128, high=128, dtype="int8"), "Dict": rand(128, low=0.0)})

# A row is its minimum, its maximum, and its elements as bytes, four to a float.
table = rand(5, 4)
table[:, 0] -= 1.0
case("lookup_table_dequant", {"W": table, "Ids": longs([4], [0], [1])}, {"padding_idx": -1})
case("lookup_table_dequant", {"W": table, "Ids": longs([4], [0], [1])}, {"padding_idx": 1})

image = (np.arange(16) * 15).reshape(1, 1, 4, 4).astype("uint8")
for corners, mode in ((True, 1), (False, 0), (False, 1)):
    for method in ("bilinear", "nearest"):
        size = {"out_h": 3, "out_w": 5, "interp_method": method, "align_corners": corners, "align_mode": mode}
        case(method + "_interp", {"X": image}, size)
case("nearest_interp", {"X": rand(1, 1, 4, 4)}, {"out_h": 3, "out_w": 5})  # Fluid: bilinear, if nothing is said
volume = {"out_d": 3, "out_h": 3, "out_w": 3, "interp_method": "trilinear"}
case("trilinear_interp", {"X": image.reshape(1, 1, 4, 2, 2)}, volume)
case("lookup_table", {"W": ints(4, 3, low=-9, dtype="int8"), "Ids": longs([1], [3])}, {"padding_idx": 3})
case("exp", {"X": ints(2, 3, low=-2, high=4, dtype="int32")})
case("exp", {"X": ints(2, 3, low=-2, high=4)})
case("sequence_mask", {"X": floats(1.0, 2.5)}, {"maxlen": 3, "out_dtype": 5}, "Y")
