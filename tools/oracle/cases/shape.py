"""Moving, choosing and filling elements."""

import numpy as np

from cases.table import case, floats, ints, longs, rand, spread

table = rand(4, 3)
ids, rows = longs(1, 3, 1), rand(3, 3)
case("scatter", {"X": table, "Ids": longs(1, 3), "Updates": rows[:2].copy()}, {"overwrite": True}, grad="X Updates")
case("scatter", {"X": table, "Ids": ids, "Updates": rows}, {"overwrite": False}, grad="X Updates")
case("scatter", {"X": table, "Ids": ids, "Updates": rows}, {"overwrite": True})
case("scatter_nd_add", {"X": table, "Index": longs([1], [3], [1]), "Updates": rows}, grad="X Updates")
case("scatter_nd_add", {"X": table, "Index": longs([1, 2], [3, 0], [1, 2]), "Updates": rand(3)}, grad="X Updates")
case("gather", {"X": table, "Index": ids}, grad="X")
case("gather", {"X": table, "Index": np.array([[2], [0]], "int32")}, grad="X")
case("gather_nd", {"X": table, "Index": longs([1, 2], [3, 0], [1, 2])}, grad="X")
case("gather_nd", {"X": rand(2, 3, 2), "Index": longs([[1], [0]])}, grad="X")

cube = rand(3, 4, 5)
for axes, starts, ends, strides in (
    ([0, 1, 2], [0, 1, 0], [3, 4, 5], [1, 2, 3]),
    ([1, 2], [-1, -1], [-4, -6], [-1, -2]),
    ([2], [100], [-100], [-2]),
    ([0, 2], [-2, 1], [3, -1], [1, 1]),
):
    case(
        "strided_slice",
        {"Input": cube},
        {"axes": axes, "starts": starts, "ends": ends, "strides": strides, "infer_flags": [1] * len(axes)},
        grad="Input",
    )
case("slice", {"Input": cube}, {"axes": [0, 2], "starts": [1, -3], "ends": [3, 100]}, grad="Input")
case("slice", {"Input": cube}, {"axes": [0], "starts": [-1], "ends": [3], "decrease_axis": [0]}, grad="Input")
case("slice", {"Input": rand(4)}, {"axes": [0], "starts": [1], "ends": [2], "decrease_axis": [0]}, grad="Input")
starts_ends = {"StartsTensorList": [np.array([1], "int32")], "EndsTensorList": [np.array([3], "int32")]}
case("slice", dict(starts_ends, Input=cube), {"axes": [1], "starts": [-1], "ends": [-1], "infer_flags": [-1]})

sorting = spread(3, 4)
case("top_k", {"X": sorting}, {"k": 2}, "Out Indices", "X")
case("top_k", {"X": sorting, "K": np.array([3], "int32")}, {}, "Out Indices")
case("top_k", {"X": floats([1, 3, 3, 2], [2, 2, 2, 2])}, {"k": 2}, "Out Indices")
for axis in (-1, 0):
    for descending in (False, True):
        case("argsort", {"X": sorting}, {"axis": axis, "descending": descending}, "Out Indices", "X")
case("argsort", {"X": floats(2, 1, 2, 1)}, {}, "Out Indices")
for name in ("arg_max", "arg_min"):
    case(name, {"X": sorting}, {"axis": 0})
    case(name, {"X": floats([1, 3, 3], [2, 2, 0])}, {"axis": 1})
    case(name, {"X": sorting}, {"axis": -1, "keepdims": True})

for exclusive in (False, True):
    for reverse in (False, True):
        case("cumsum", {"X": table}, {"axis": 0, "exclusive": exclusive, "reverse": reverse}, grad="X")
case("cumsum", {"X": table}, {}, grad="X")

image = rand(1, 2, 3, 4)
for mode in ("constant", "reflect", "edge"):
    case("pad2d", {"X": image}, {"paddings": [1, 2, 2, 1], "mode": mode, "pad_value": 0.5}, grad="X")
    last = np.transpose(image, [0, 2, 3, 1]).copy()
    case("pad2d", {"X": last}, {"paddings": [1, 0, 0, 2], "mode": mode, "data_format": "NHWC"}, grad="X")
case("pad", {"X": rand(2, 3)}, {"paddings": [0, 1, 2, 0], "pad_value": 0.5}, grad="X")
case("pad_constant_like", {"X": rand(3, 4), "Y": rand(2, 3)}, {"pad_value": 0.5}, grad="Y")
case("crop", {"X": cube}, {"offsets": [0, 1, 2], "shape": [2, 3, 3]}, grad="X")
case("crop_tensor", {"X": cube}, {"offsets": [0, 1, 2], "shape": [2, 3, 3]}, grad="X")
case("crop_tensor", {"X": cube}, {"offsets": [1, 1, 2], "shape": [2, 2, 3]}, grad="X")
case(
    "crop_tensor",
    {"X": cube, "Shape": np.array([2, 3, 3], "int32"), "Offsets": np.array([1, 0, 2], "int32")},
    {"shape": [-1, -1, -1]},
)
case("multiplex", {"Ids": np.array([[1], [0], [2], [1]], "int32"), "X": [rand(4, 2), rand(4, 2), rand(4, 2)]}, grad="X")
repeated = longs(2, 3, 3, 1, 5, 3)
case("unique", {"X": repeated}, {"dtype": 2}, "Out Index")
case("unique_with_counts", {"X": repeated}, {"dtype": 2}, "Out Index Count")
mask = ints(3, 4, high=2).astype("bool")
case("where", {"Condition": mask, "X": rand(3, 4), "Y": rand(3, 4)}, grad="X Y")
case("where_index", {"Condition": mask})
case("where_index", {"Condition": np.array([False, True, True])})
case("one_hot", {"X": longs([1], [0], [3])}, {"depth": 4, "dtype": 5})
case("one_hot", {"X": longs([1], [5], [-1])}, {"depth": 4, "dtype": 5, "allow_out_of_range": True})
case("one_hot", {"X": longs([1], [0]), "depth_tensor": np.array([3], "int32")}, {"dtype": 5})
case("one_hot_v2", {"X": longs([1, 0], [3, 2])}, {"depth": 4, "dtype": 5})
case("one_hot_v2", {"X": longs(1, 7)}, {"depth": 4, "dtype": 5, "allow_out_of_range": True})
case(
    "shard_index",
    {"X": longs([1], [6], [12], [19])},
    {"index_num": 20, "nshards": 2, "shard_id": 0, "ignore_value": -1},
)
case(
    "shard_index",
    {"X": longs([1], [6], [12], [19])},
    {"index_num": 20, "nshards": 3, "shard_id": 1, "ignore_value": -2},
)
case(
    "unfold",
    {"X": image},
    {"kernel_sizes": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0], "dilations": [1, 1]},
    "Y",
    "X",
)
case(
    "unfold",
    {"X": image},
    {"kernel_sizes": [2, 2], "strides": [2, 1], "paddings": [1, 0, 0, 1], "dilations": [1, 2]},
    "Y",
    "X",
)
case("pixel_shuffle", {"X": rand(1, 8, 2, 2)}, {"upscale_factor": 2}, grad="X")
case("space_to_depth", {"X": rand(1, 4, 4, 4)}, {"blocksize": 2}, grad="X")
case("shuffle_channel", {"X": rand(1, 6, 2, 2)}, {"group": 2}, grad="X")
case("temporal_shift", {"X": rand(4, 4, 2, 2)}, {"seg_num": 2, "shift_ratio": 0.25}, grad="X")
case("reverse", {"X": cube}, {"axis": [0, 2]}, grad="X")
case("flip", {"X": cube}, {"dims": [0, 2]}, grad="X")
case("roll", {"X": cube}, {"shifts": [1, -2], "dims": [0, 2]}, grad="X")
case("index_select", {"X": cube, "Index": longs(1, 0, 1)}, {"dim": 1}, grad="X")
case("index_sample", {"X": rand(3, 4), "Index": longs([0, 1], [3, 3], [2, 0])}, grad="X")
case("expand", {"X": rand(2, 1, 3)}, {"expand_times": [2, 3, 1]}, grad="X")
case("expand_as", {"X": rand(2, 1, 3), "target_tensor": rand(4, 3, 3)}, grad="X")
case("diag_embed", {"Input": rand(2, 3)}, {"offset": 1, "dim1": 0, "dim2": 2})
case("tril_triu", {"X": rand(3, 4)}, {"diagonal": -1, "lower": True}, grad="X")
case("tril_triu", {"X": rand(3, 4)}, {"diagonal": 1, "lower": False}, grad="X")
case("trace", {"Input": rand(3, 4, 2)}, {"offset": 1, "dim1": 0, "dim2": 1}, grad="Input")
case("meshgrid", {"X": [rand(2), rand(3)]}, {}, "Out*2", "X")
case("unbind", {"X": rand(2, 3)}, {"axis": 1}, "Out*3", "X")
case("split", {"X": rand(2, 6)}, {"axis": 1, "num": 0, "sections": [1, 2, 3]}, "Out*3", "X")
case("split", {"X": rand(2, 6)}, {"axis": 1, "num": 2, "sections": []}, "Out*2", "X")
case(
    "fill_constant_batch_size_like",
    {"Input": rand(3, 2)},
    {"shape": [2, 5], "input_dim_idx": 0, "output_dim_idx": 1, "dtype": 5, "value": 1.5},
)
case("partial_concat", {"X": [rand(2, 4), rand(2, 4)]}, {"start_index": 1, "length": 2}, grad="X")
case("partial_sum", {"X": [rand(2, 4), rand(2, 4)]}, {"start_index": 1, "length": 2}, grad="X")
