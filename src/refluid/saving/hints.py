"""Attributes that 1.8.5 expects of gradient operators, and that no kernel here reads.

It fills in what a file leaves out of other operators, but gradient operators have no list of attributes there: one that
is missing fails when the operator runs. They are hints for its kernel libraries and for parameter servers. Which ones a
gradient has, its operator says by `grad_hints`.
"""

from __future__ import annotations

from typing import Any

from refluid.ops.registry import OpDef

# attribute: (type in files, value)
HINTS: dict[str, tuple[str, Any]] = {
    "use_mkldnn": ("BOOLEAN", False),
    "use_cudnn": ("BOOLEAN", False),
    "is_test": ("BOOLEAN", False),
    "use_quantizer": ("BOOLEAN", False),
    "data_format": ("STRING", "AnyLayout"),
    "x_data_format": ("STRING", ""),
    "y_data_format": ("STRING", ""),
    "workspace_size_MB": ("INT", 512),
    "exhaustive_search": ("BOOLEAN", False),
    "force_fp32_output": ("BOOLEAN", False),
    "fuse_activation": ("STRING", ""),
    "fuse_alpha": ("FLOAT", 0.0),
    "fuse_beta": ("FLOAT", 0.0),
    "fuse_relu": ("BOOLEAN", False),
    "fuse_residual_connection": ("BOOLEAN", False),
    "fuse_brelu": ("BOOLEAN", False),
    "fuse_brelu_threshold": ("FLOAT", 6.0),
    "fuse_relu_before_depthwise_conv": ("BOOLEAN", False),
    "fuse_with_relu": ("BOOLEAN", False),
    "distribute_update_vars": ("STRING", ""),
    "use_sync_bn": ("BOOLEAN", False),
    "Scale_in": ("FLOAT", 1.0),
    "Scale_out": ("FLOAT", 1.0),
    "Scale_in_eltwise": ("FLOAT", 1.0),
    "Scale_weights": ("FLOATS", [1.0]),
    "Scale_x": ("FLOAT", 1.0),
    "Scale_y": ("FLOAT", 1.0),
    "fused_reshape_Out": ("INTS", []),
    "fused_transpose_Out": ("INTS", []),
    "scale_x": ("FLOAT", 1.0),
    "scale_y": ("FLOATS", [1.0]),
    "scale_out": ("FLOAT", 1.0),
    "padding_weights": ("BOOLEAN", False),
    "im2col_step": ("INT", 64),
    "epsilon": ("FLOAT", 1e-12),
    "data_layout": ("STRING", "NCHW"),
    "summary_decay_rate": ("FLOAT", 0.9999999),
    "sync_stats": ("BOOLEAN", False),
    "is_distributed": ("BOOLEAN", False),
    "remote_prefetch": ("BOOLEAN", False),
    "grad_inplace": ("BOOLEAN", False),
    "trainer_id": ("INT", 0),
    "height_sections": ("LONGS", []),
    "epmap": ("STRINGS", []),
    "table_names": ("STRINGS", []),
    "@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@": ("BOOLEAN", True),
}


def hints(op: OpDef | None, given: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """{attribute: (type, value)} of what a gradient operator needs in a file besides what it is given."""
    forward = op.forward if op is not None else None
    if forward is None:
        return {}
    return {name: HINTS[name] for name in forward.grad_hints if name not in given}
