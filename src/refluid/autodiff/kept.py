"""Inputs that gradient operators have in 1.8.5 and that no rule here reads.

They stand in programs, so that 1.8.5 can run those when they are saved; plans pass them over.
"""

KEPT: dict[str, tuple[str, ...]] = {
    "cudnn_lstm": ("Cache", "Out"),
    "cvm": ("X",),
    "deformable_psroi_pooling": ("TopCount",),
    "dist": ("Out",),
    "filter_by_instag": ("IndexMap", "LossWeight"),
    "fused_elemwise_activation": ("IntermediateOut", "Out"),
    "group_norm": ("Y",),
    "gru": ("Hidden",),
    "gru_unit": ("Input",),
    "lstmp": ("BatchCellPreAct", "BatchGate", "BatchHidden", "Cell", "Projection"),
    "match_matrix_tensor": ("Tmp",),
    "maxout": ("Out",),
    "p_norm": ("Out",),
    "prroi_pool": ("Out",),
    "reduce_prod": ("Out",),
    "roi_perspective_transform": ("Out2InIdx", "Out2InWeights"),
    "sequence_topk_avg_pooling": ("pos",),
    "squared_l2_distance": ("sub_result",),
    "var_conv_2d": ("Col", "Out"),
    "where": ("X", "Y"),
}
