"""Operators of fluid.contrib.layers: matching of texts, trees of items, fused ones."""

import numpy as np

from cases.table import case, ints, lod, rand, spread

for functors in (
    ["elementwise_add", "relu"], ["relu", "elementwise_add"], ["elementwise_add", "scale"],
    ["scale", "elementwise_add"], ["elementwise_mul", "scale"], ["tanh", "elementwise_add"],
    ["elementwise_mul", "tanh"], ["elementwise_mul", "sigmoid"],
):  # fmt: skip
    attrs = {"functor_list": functors, "axis": -1, "scale": 0.5, "save_intermediate_out": True}
    outs, grad = "Out IntermediateOut", "X Y"
    case("fused_elemwise_activation", {"X": spread(3, 4), "Y": spread(3, 4)}, attrs, outs, grad)
attrs = {"functor_list": ["relu", "elementwise_add"], "axis": 1, "save_intermediate_out": False}
case("fused_elemwise_activation", {"X": spread(2, 3, 4), "Y": spread(3)}, attrs, "Out", "X Y")

left, right = lod(rand(5, 3), [2, 3]), lod(rand(4, 3), [3, 1])
case("match_matrix_tensor", {"X": left, "Y": right, "W": rand(3, 2, 3)}, {"dim_t": 2}, "Out Tmp", "X Y W")
case("match_matrix_tensor", {"X": lod(rand(2, 3), [2]), "Y": lod(rand(4, 3), [4]), "W": rand(3, 1, 3)}, {"dim_t": 1},
     "Out Tmp", "X Y W")  # fmt: skip

case("match_matrix_tensor", {"X": lod(rand(3, 2), [1, 2]), "Y": lod(rand(3, 2), [3, 0]), "W": rand(2, 1, 2)},
     {"dim_t": 1}, "Out Tmp", "X Y W")  # fmt: skip

rows, columns = lod(rand(5, 2), [2, 3]), lod(rand(4, 2), [3, 1])
pictures = lod(spread(18, 1), [12, 6])
for topks in ([1], [1, 2, 5]):
    attrs = {"topks": topks, "channel_num": 2}
    case("sequence_topk_avg_pooling", {"X": pictures, "ROW": rows, "COLUMN": columns}, attrs, "Out pos", "X")
holed = {"X": lod(spread(4, 1), [4, 0]), "ROW": lod(rand(4, 1), [2, 2]), "COLUMN": lod(rand(2, 1), [2, 0])}
case("sequence_topk_avg_pooling", holed, {"topks": [1, 3], "channel_num": 1}, "Out pos", "X")

for kernel, stride in (((3, 3), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (1, 1)), ((3, 2), (2, 1)), ((3, 5), (2, 3))):
    attrs = {"InputChannel": 2, "OutputChannel": 3, "KernelH": kernel[0], "KernelW": kernel[1]}
    attrs.update(StrideH=stride[0], StrideW=stride[1])
    inputs = {"X": pictures, "ROW": rows, "COLUMN": columns, "W": rand(3, 2 * kernel[0] * kernel[1])}
    case("var_conv_2d", inputs, attrs, "Out Col", "X W")
attrs = {"InputChannel": 1, "OutputChannel": 2, "KernelH": 2, "KernelW": 1, "StrideH": 1, "StrideW": 1}
case("var_conv_2d", dict(holed, W=rand(2, 2)), attrs, "Out Col", "X W")
attrs = {"InputChannel": 1, "OutputChannel": 2, "KernelH": 3, "KernelW": 3, "StrideH": 1, "StrideW": 1}
inputs = {"X": lod(rand(20, 1), [20]), "ROW": lod(rand(4, 2), [4]), "COLUMN": lod(rand(5, 2), [5]), "W": rand(2, 9)}
case("var_conv_2d", inputs, attrs, "Out", "X W")

table = rand(6, 3)
case("fused_embedding_seq_pool", {"W": table, "Ids": lod(ints(5, 1, high=6), [2, 3])}, {"combiner": "sum"}, "Out", "W")
case("fused_embedding_seq_pool", {"W": table, "Ids": lod(ints(3, 1, high=6), [0, 2, 0, 1])}, {"combiner": "sum"}, "Out",
     "W")  # fmt: skip
padded = {"combiner": "sum", "padding_idx": 1}
case("fused_embedding_seq_pool", {"W": table, "Ids": lod(np.array([[1], [2], [1]]), [2, 1])}, padded, "Out", "W")

# item, layer, parent, children; a node whose item is not 0 is a leaf
tree = np.array(
    [[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 6], [11, 2, 1, 0, 0], [12, 2, 1, 0, 0], [0, 2, 2, 7, 0],
     [13, 2, 2, 0, 0], [14, 3, 5, 0, 0]], "int32"
)  # fmt: skip
for dtype in ("int32", "int64"):
    asked = np.array([[0], [1], [2], [3], [5]], dtype)
    attrs = {"child_nums": 2, "dtype": {"int32": 2, "int64": 3}[dtype]}
    case("tdm_child", {"X": asked, "TreeInfo": tree}, attrs, "Child LeafMask")
case("tdm_child", {"X": np.array([[1, 2], [3, 5]], "int32"), "TreeInfo": tree}, {"child_nums": 2, "dtype": 2},
     "Child LeafMask")  # fmt: skip

travel = np.array([[1, 3], [1, 4], [2, 5], [2, 0]], "int32")
layer = np.array([[1], [2], [3], [4], [5], [6]], "int32")
attrs = {"output_positive": True, "neg_samples_num_list": [0, 0], "layer_offset_lod": [0, 2, 6], "dtype": 2}
case("tdm_sampler", {"X": np.array([[0], [2], [3]], "int32"), "Travel": travel, "Layer": layer}, attrs,
     "Out Labels Mask")  # fmt: skip
# Only one node is left to draw.
case("tdm_sampler", {"X": np.array([[0], [2], [3]], "int64"), "Travel": travel, "Layer": layer},
     dict(attrs, neg_samples_num_list=[1, 0], dtype=3), "Out Labels Mask")  # fmt: skip
case("tdm_sampler", {"X": np.array([[0], [2], [3]], "int32"), "Travel": travel[:, :1], "Layer": layer[:2]},
     dict(attrs, neg_samples_num_list=[1], layer_offset_lod=[0, 2], output_positive=False),
     "Out Labels Mask")  # fmt: skip
