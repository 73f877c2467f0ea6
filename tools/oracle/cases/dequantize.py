"""Numbers kept in eight bits, and what they stand for."""

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
