"""Functions of trees: of words in sentences, and of items that recommenders search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError, ShapeError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import need_variable
from refluid.layers.common import activate, dtype_attr
from refluid.layers.indexing import slice as slice_of
from refluid.layers.shape import reshape
from refluid.ops.math.elementwise import elementwise_add
from refluid.ops.nn.tree_conv import tree_conv as tree_conv_op
from refluid.ops.tree.tdm_child import tdm_child as tdm_child_op
from refluid.ops.tree.tdm_sampler import tdm_sampler as tdm_sampler_op
from refluid.params.attr import AttrLike
from refluid.params.create import make_parameter
from refluid.params.initializer import Constant

if TYPE_CHECKING:
    from refluid.core.types import Dtype


def tree_conv(
    nodes_vector: BaseVariable,
    edge_set: BaseVariable,
    output_size: int,
    num_filters: int = 1,
    max_depth: int = 2,
    act: str | None = "tanh",
    param_attr: AttrLike = None,
    bias_attr: AttrLike = None,
    name: str | None = None,
) -> BaseVariable:
    """Tree-based convolution (Mou et al., 2016).

    Args:
        nodes_vector: the features of the nodes, a float variable [N, nodes, D].
        edge_set: int32 [N, edges, 2]: (parent, child), numbers from 1; a pair with a 0 ends the list.
        output_size: the number of output features.
        num_filters: the number of filters.
        max_depth: the depth of the filter window.
        act: the name of an activation; None for none.
        param_attr: settings of the weight [D, 3, output_size, num_filters].
        bias_attr: settings of the bias [nodes, output_size, num_filters]; without settings there is none.

    Returns:
        A variable [N, nodes, output_size, num_filters].
    """
    need_variable("tree_conv: nodes_vector", nodes_vector)
    need_variable("tree_conv: edge_set", edge_set)
    if len(nodes_vector.shape) != 3:
        raise ShapeError(f"tree_conv: nodes_vector must be [N, nodes, features], got {list(nodes_vector.shape)}")
    layer = LayerName("tree_conv", name)
    shape = [nodes_vector.shape[2], 3, output_size, num_filters]
    weight = make_parameter(param_attr, shape, nodes_vector.dtype, layer=layer)
    out = tree_conv_op(nodes_vector, edge_set, weight, name=layer, max_depth=max_depth)
    if bias_attr:
        bias = make_parameter(bias_attr, list(out.shape[1:]), out.dtype, is_bias=True, layer=layer)
        out = elementwise_add(out, bias, axis=1, name=layer)
    return activate(out, act, layer)


def tdm_child(
    x: BaseVariable, node_nums: int, child_nums: int, param_attr: AttrLike = None, dtype: Dtype = "int32"
) -> tuple[Any, Any]:
    """The children of nodes of a tree of items.

    Args:
        x: int32 or int64, numbers of nodes.
        node_nums: how many nodes the tree has.
        child_nums: how many children a node has at the most.
        param_attr: initialises the tree, int [node_nums, 3 + child_nums]: item (0 but for leaves), layer, parent and
            children of each node; as fluid.initializer.NumpyArrayInitializer.
    Returns:
        (children [*x's shape, child_nums], 0 for none; 1 where a child is a leaf, else 0).
    """
    need_variable("tdm_child: x", x)
    layer = LayerName("tdm_child")
    kind = _int_kind("tdm_child: dtype", dtype)
    tree = make_parameter(param_attr, [node_nums, 3 + child_nums], dtype, default=Constant(0), layer=layer)
    tree.stop_gradient = True
    return tdm_child_op(x, tree, name=layer, child_nums=child_nums, dtype=kind)


def tdm_sampler(
    x: BaseVariable,
    neg_samples_num_list: list[int],
    layer_node_num_list: list[int],
    leaf_node_num: int,
    tree_travel_attr: AttrLike = None,
    tree_layer_attr: AttrLike = None,
    output_positive: bool = True,
    output_list: bool = True,
    seed: int = 0,
    tree_dtype: Dtype = "int32",
    dtype: Dtype = "int32",
) -> tuple[Any, Any, Any]:
    """For every leaf the node of each layer on the path to it, and negative samples of the layer.

    Args:
        x: int32 or int64 [N, 1], numbers of leaves.
        neg_samples_num_list: the number of negative samples of each layer.
        layer_node_num_list: how many nodes each layer has; the root is none.
        leaf_node_num: how many leaves the tree has.
        tree_travel_attr: initialises the paths, int [leaf_node_num, layers].
        tree_layer_attr: initialises the nodes of all layers, int [nodes, 1].
        output_positive: False leaves out the nodes on the path.
        output_list: give one variable [N, nodes, 1] per layer instead of one [N, all nodes].
        seed: of the sampling; 0 takes the program's.
    Returns:
        (nodes, labels: 1 on the path, masks: 0 where a path has ended), each as output_list says.
    """
    need_variable("tdm_sampler: x", x)
    layer = LayerName("tdm_sampler")
    kinds = _int_kind("tdm_sampler: tree_dtype", tree_dtype), _int_kind("tdm_sampler: dtype", dtype)
    if len(neg_samples_num_list) != len(layer_node_num_list):
        raise ArgumentError(
            "tdm_sampler: neg_samples_num_list and layer_node_num_list must have one number per layer, got "
            f"{len(neg_samples_num_list)} and {len(layer_node_num_list)}"
        )
    offsets = [0, *np.cumsum(layer_node_num_list).tolist()]
    if not 0 < leaf_node_num < offsets[-1]:
        raise ArgumentError(
            f"tdm_sampler: leaf_node_num must be below the number of all nodes, {offsets[-1]}, got {leaf_node_num}"
        )
    travel, nodes = (
        make_parameter(attr, shape, tree_dtype, default=Constant(0), layer=layer)
        for attr, shape in (
            (tree_travel_attr, [leaf_node_num, len(layer_node_num_list)]),
            (tree_layer_attr, [offsets[-1], 1]),
        )
    )
    outs = tdm_sampler_op(
        x, travel, nodes, name=layer, neg_samples_num_list=neg_samples_num_list, output_positive=output_positive,
        layer_offset_lod=offsets, seed=seed, dtype=kinds[1],
    )  # fmt: skip
    for var in outs:
        var.stop_gradient = True
    if not output_list:
        return tuple(outs)
    return _by_layer(outs, [count + bool(output_positive) for count in neg_samples_num_list])


def _by_layer(variables: Any, sizes: list[int]) -> tuple[list[Any], list[Any], list[Any]]:
    outs: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    start = 0
    for size in sizes:
        parts = [slice_of(one, axes=[1], starts=[start], ends=[start + size]) for one in variables]
        for part, out in zip(parts, outs, strict=True):
            out.append(reshape(part, [-1, size, 1]))
            out[-1].stop_gradient = True
        start += size
    return outs


def _int_kind(what: str, dtype: Dtype) -> int:
    kind = dtype_attr(dtype)
    if kind not in (dtype_attr("int32"), dtype_attr("int64")):
        raise ArgumentError(f"{what} must be int32 or int64, got {dtype!r}")
    return kind
