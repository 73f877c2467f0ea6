"""Operators over ragged sequences, empty ones among them."""

import numpy as np

from cases.table import case, floats, ints, lod, longs, rand, spread

words = lod(rand(6, 2), [3, 1, 2])
holed = lod(spread(6, 2), [0, 3, 0, 2, 1])
nested = lod(spread(6, 2), [2, 0, 1], [2, 1, 3])
for kind in ("SUM", "AVERAGE", "SQRT", "MAX", "LAST", "FIRST"):
    outs = "Out MaxIndex" if kind == "MAX" else "Out"
    case("sequence_pool", {"X": words}, {"pooltype": kind}, outs, "X")
    case("sequence_pool", {"X": holed}, {"pooltype": kind, "pad_value": 0.5}, "Out", "X")
    case("sequence_pool", {"X": nested}, {"pooltype": kind}, "Out", "X")
case("sequence_softmax", {"X": lod(rand(6, 1), [3, 1, 2])}, grad="X")
case("sequence_softmax", {"X": lod(rand(6), [3, 3])}, grad="X")

for start, length in ((-1, 3), (0, 2), (-2, 2), (1, 1)):
    convolved = {"X": words, "Filter": rand(length * 2, 3)}
    attrs = {"contextStart": start, "contextLength": length, "contextStride": 1}
    # 1.8.5 refuses the gradient of a window that ends before the word itself and is longer than a sequence
    case("sequence_conv", convolved, attrs, "Out", "" if start == -2 else "X Filter")
attrs = {"contextStart": -1, "contextLength": 3, "contextStride": 1}
case("sequence_conv", {"X": holed, "Filter": rand(6, 3)}, attrs, "Out", "X Filter")
padded = {"X": words, "Filter": rand(6, 3), "PaddingData": rand(2, 2)}
case("sequence_conv", padded, dict(attrs, paddingTrainable=True), "Out", "X Filter PaddingData")

target = rand(6, 1)
case("sequence_expand", {"X": rand(3, 2), "Y": lod(target, [2, 0, 4])}, {"ref_level": 0}, "Out", "X")
two = lod(target, [2, 1], [2, 1, 3])
case("sequence_expand", {"X": rand(3, 2), "Y": two}, {"ref_level": -1}, "Out", "X")
case("sequence_expand", {"X": rand(2, 2), "Y": two}, {"ref_level": 0}, "Out", "X")
case(
    "sequence_expand",
    {"X": lod(rand(3, 2), [2, 1]), "Y": lod(target, [2, 3], [1, 1, 1, 1, 2])},
    {"ref_level": 0},
    "Out",
    "X",
)
case("sequence_expand_as", {"X": rand(3, 2), "Y": lod(target, [3, 1, 2])}, {}, "Out", "X")
case("sequence_concat", {"X": [lod(rand(4, 2), [3, 1]), lod(rand(3, 2), [1, 2])]}, {}, "Out", "X")
ids = lod(longs([1], [2], [3], [2], [5], [2]), [4, 2])
case("sequence_enumerate", {"X": ids}, {"win_size": 3, "pad_value": 9})
case("sequence_erase", {"X": ids}, {"tokens": [2, 3]})
case("sequence_mask", {"X": longs(3, 1, 0, 2)}, {"maxlen": 4, "out_dtype": 5}, "Y")
case("sequence_mask", {"X": longs(3, 1, 0, 2)}, {"maxlen": -1, "out_dtype": 3}, "Y")
for length in (-1, 5):
    case("sequence_pad", {"X": words, "PadValue": floats(0.5)}, {"padded_length": length}, "Out Length", "X")
case("sequence_pad", {"X": words, "PadValue": floats(0.5, 0.25)}, {"padded_length": 4}, "Out Length", "X")
case("sequence_unpad", {"X": rand(3, 4, 2), "Length": longs(4, 1, 2)}, {}, "Out", "X")
case("sequence_reshape", {"X": lod(rand(6, 2), [4, 2])}, {"new_dim": 4}, "Out", "X")
case("sequence_reshape", {"X": lod(rand(3, 4), [1, 2])}, {"new_dim": 2}, "Out", "X")
case("sequence_reverse", {"X": words}, {}, "Y", "X")
case("sequence_reverse", {"X": holed}, {}, "Y", "X")
scattered = {"X": rand(2, 5), "Ids": lod(longs([0], [2], [2], [4], [1]), [3, 2]), "Updates": lod(rand(5, 1), [3, 2])}
case("sequence_scatter", scattered, {}, "Out", "X Updates")
case("sequence_slice", {"X": words, "Offset": longs([1], [0], [0]), "Length": longs([2], [1], [1])}, {}, "Out", "X")

plain = rand(6, 2)
case("lod_reset", {"X": plain}, {"target_lod": [0, 4, 6]}, "Out", "X")
case("lod_reset", {"X": words, "Y": lod(rand(6, 1), [2, 4])}, {}, "Out", "X")
case("lod_reset", {"X": words, "Y": np.array([0, 1, 6], "int32")}, {}, "Out", "X")
case("lod_reset", {"X": lod(plain, [2, 4])}, {"target_lod": [0, 1, 2, 3, 4, 5, 6], "append": True})
case(
    "im2sequence", {"X": rand(2, 2, 3, 3)}, {"kernels": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0]}, "Out", "X"
)
case(
    "im2sequence", {"X": rand(1, 2, 3, 3)}, {"kernels": [2, 2], "strides": [2, 2], "paddings": [1, 0, 1, 0]}, "Out", "X"
)
table = rand(5, 3)
case("lookup_table", {"W": table, "Ids": lod(ints(4, 1, high=5), [3, 1])}, {}, "Out", "W")
case("lookup_table", {"W": table, "Ids": longs([1], [3], [1], [0])}, {"padding_idx": 1}, "Out", "W")
case("lookup_table_v2", {"W": table, "Ids": longs([1, 3], [1, 0])}, {"padding_idx": 3}, "Out", "W")
case("mul", {"X": lod(rand(4, 2), [3, 1]), "Y": rand(2, 3)}, {"x_num_col_dims": 1, "y_num_col_dims": 1}, "Out", "X Y")
case("elementwise_add", {"X": lod(rand(4, 2), [3, 1]), "Y": rand(2)}, {"axis": 1}, "Out", "X Y")
case("concat", {"X": [lod(rand(4, 2), [3, 1]), lod(rand(4, 1), [3, 1])]}, {"axis": 1}, "Out", "X")
