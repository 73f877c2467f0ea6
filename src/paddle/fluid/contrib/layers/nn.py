"""paddle.fluid.contrib.layers.nn: layers of networks."""

from refluid.contrib.layers.columns import (
    fused_elemwise_activation as fused_elemwise_activation,
    partial_concat as partial_concat,
    partial_sum as partial_sum,
    batch_fc as batch_fc,
    rank_attention as rank_attention,
)
from refluid.contrib.layers.hashing import search_pyramid_hash as search_pyramid_hash
from refluid.contrib.layers.matching import (
    fused_embedding_seq_pool as fused_embedding_seq_pool,
    match_matrix_tensor as match_matrix_tensor,
    sequence_topk_avg_pooling as sequence_topk_avg_pooling,
    var_conv_2d as var_conv_2d,
)
from refluid.contrib.layers.trees import (
    tdm_child as tdm_child,
    tdm_sampler as tdm_sampler,
    tree_conv as tree_conv,
)
from refluid.layers.detection.suppression import multiclass_nms2 as multiclass_nms2
from refluid.layers.indexing import index_sample as index_sample
from refluid.layers.random import shuffle_batch as shuffle_batch

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
