"""Attributes that 1.8.5 expects of gradient operators, and that no kernel here reads.

It fills in what a file leaves out of other operators, but gradient operators have no list of attributes there: one that
is missing fails when the operator runs. They are hints for its kernel libraries and for parameter servers.
"""

from __future__ import annotations

from typing import Any

from refluid.ops.registry import OpDef

_ELEMENTWISE = " ".join(f"elementwise_{name}" for name in ("add", "sub", "mul", "div", "min", "max", "pow"))
_CONV = "conv2d depthwise_conv2d"
_CONVS = f"{_CONV} conv3d"
_CONVS_AND_TRANSPOSES = f"{_CONVS} conv2d_transpose depthwise_conv2d_transpose"
_TABLES = "lookup_table lookup_table_v2"

# These have both: hints for oneDNN and for cuDNN.
_ACTIVATIONS = (
    "abs ceil cos exp floor gelu log log1p logsigmoid reciprocal relu round rsqrt sigmoid sin softplus softsign sqrt "
    "square tanh tanh_shrink softmax"
)

# attribute: (type in files, value, the forward operators that have it)
_HINTS: dict[str, tuple[str, Any, str]] = {
    "use_mkldnn": (
        "BOOLEAN",
        False,
        f"{_ACTIVATIONS} {_ELEMENTWISE} {_CONVS_AND_TRANSPOSES} conv3d_transpose addmm batch_norm concat data_norm fc "
        "inplace_abn leaky_relu lrn matmul mul partial_sum pool2d pool3d sum swish transpose transpose2 reshape2",
    ),
    "use_cudnn": (
        "BOOLEAN",
        False,
        f"{_ACTIVATIONS} {_CONVS_AND_TRANSPOSES} conv3d_transpose affine_grid grid_sampler pool2d pool3d "
        "sequence_softmax",
    ),
    "is_test": ("BOOLEAN", False, f"softmax lrn pool2d pool3d {_CONVS_AND_TRANSPOSES}"),
    "use_quantizer": ("BOOLEAN", False, f"fc matmul concat reshape2 transpose transpose2 pool2d pool3d {_CONV}"),
    "data_format": ("STRING", "AnyLayout", "softmax sequence_softmax transpose transpose2"),
    "x_data_format": ("STRING", "", _ELEMENTWISE),
    "y_data_format": ("STRING", "", _ELEMENTWISE),
    "workspace_size_MB": ("INT", 512, f"{_CONVS_AND_TRANSPOSES} conv3d_transpose"),
    "exhaustive_search": ("BOOLEAN", False, _CONVS),
    "force_fp32_output": ("BOOLEAN", False, f"mul fc matmul {_CONVS}"),
    "fuse_activation": ("STRING", "", _CONVS_AND_TRANSPOSES),
    "fuse_alpha": ("FLOAT", 0.0, _CONVS_AND_TRANSPOSES),
    "fuse_beta": ("FLOAT", 0.0, _CONVS_AND_TRANSPOSES),
    "fuse_relu": ("BOOLEAN", False, _CONVS_AND_TRANSPOSES),
    "fuse_residual_connection": ("BOOLEAN", False, _CONVS),
    "fuse_brelu": ("BOOLEAN", False, _CONV),
    "fuse_brelu_threshold": ("FLOAT", 6.0, _CONV),
    "fuse_relu_before_depthwise_conv": ("BOOLEAN", False, _CONV),
    "fuse_with_relu": ("BOOLEAN", False, "batch_norm sync_batch_norm inplace_abn"),
    "distribute_update_vars": ("STRING", "", "pyramid_hash"),
    "use_sync_bn": ("BOOLEAN", False, "inplace_abn"),
    "Scale_in": ("FLOAT", 1.0, f"fc {_CONV}"),
    "Scale_out": ("FLOAT", 1.0, f"fc matmul {_CONV}"),
    "Scale_in_eltwise": ("FLOAT", 1.0, _CONV),
    "Scale_weights": ("FLOATS", [1.0], f"fc {_CONV}"),
    "Scale_x": ("FLOAT", 1.0, "matmul"),
    "Scale_y": ("FLOAT", 1.0, "matmul"),
    "fused_reshape_Out": ("INTS", [], "matmul"),
    "fused_transpose_Out": ("INTS", [], "matmul"),
    "scale_x": ("FLOAT", 1.0, "mul"),
    "scale_y": ("FLOATS", [1.0], "mul"),
    "scale_out": ("FLOAT", 1.0, "mul"),
    "padding_weights": ("BOOLEAN", False, "fc"),
    "im2col_step": ("INT", 64, "deformable_conv deformable_conv_v1"),
    "epsilon": ("FLOAT", 1e-12, "p_norm"),
    "data_layout": ("STRING", "NCHW", "data_norm"),
    "summary_decay_rate": ("FLOAT", 0.9999999, "data_norm"),
    "sync_stats": ("BOOLEAN", False, "data_norm"),
    "is_distributed": ("BOOLEAN", False, _TABLES),
    "remote_prefetch": ("BOOLEAN", False, _TABLES),
    "grad_inplace": ("BOOLEAN", False, f"{_TABLES} fused_embedding_seq_pool"),
    "trainer_id": ("INT", 0, _TABLES),
    "height_sections": ("LONGS", [], _TABLES),
    "epmap": ("STRINGS", [], _TABLES),
    "table_names": ("STRINGS", [], _TABLES),
    "@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@": ("BOOLEAN", True, "cos_sim fc fused_embedding_seq_pool"),
}


def hints(op: OpDef | None, given: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """{attribute: (type, value)} of what a gradient operator needs in a file besides what it is given."""
    forward = op.forward if op is not None else None
    if forward is None:
        return {}
    return {
        name: (kind, value)
        for name, (kind, value, ops) in _HINTS.items()
        if name not in given and forward.type in ops.split()
    }
