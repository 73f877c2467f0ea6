"""Which release an operator of a program needs: what 1.8.5 notes in program files (core.save_op_compatible_info)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refluid.ir.desc import ProgramDesc

if TYPE_CHECKING:
    from refluid.saving.records import Record

DEFAULT_VERSION = "1.5.0"
# Operators that came with 1.6 or changed there, by how releases before it get on with them.
_SINCE = "1.6.0"
_NOT_AT_ALL = (
    "center_loss coalesce_tensor crop_tensor deformable_conv deformable_conv_v1 dpsgd eye fill_any_like "
    "filter_by_instag gather_nd hard_swish instance_norm lookup_table_v2 match_matrix_tensor multiclass_nms2 "
    "one_hot_v2 prroi_pool pull_box_sparse scatter_nd_add sequence_pad sequence_topk_avg_pooling sequence_unpad "
    "shard_index size strided_slice trilinear_interp unfold unique unique_with_counts var_conv_2d"
)
_PERHAPS = (
    "bilinear_interp chunk_eval conditional_block conditional_block_infer conv2d conv2d_transpose conv3d "
    "conv3d_transpose crf_decoding ctc_align data_norm depthwise_conv2d depthwise_conv2d_transpose edit_distance "
    "expand fc fused_embedding_seq_pool group_norm hash leaky_relu linear_chain_crf lod_reset matmul mul "
    "nearest_interp one_hot pow prior_box reshape2 slice uniform_random uniform_random_batch_size_like warpctc"
)
KINDS = {name: 1 for name in _NOT_AT_ALL.split()} | {name: 2 for name in _PERHAPS.split()} | {"layer_norm": 3}


def save_op_compatible_info(desc: ProgramDesc) -> bool:
    """Let the program's file say which release its operators need."""
    desc.of.tells_versions = True
    return True


def write_map(message: Record) -> None:
    """Fill in the message of a program file."""
    message.default_required_version = DEFAULT_VERSION.encode()
    for name, kind in sorted(KINDS.items()):
        pair = message.pair.add()
        pair.op_name = name.encode()
        pair.compatible_info.version, pair.compatible_info.type = _SINCE.encode(), kind
