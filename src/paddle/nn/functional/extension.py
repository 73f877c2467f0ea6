"""paddle.nn.functional.extension: functions for special uses."""

from refluid.alpha.nn.functional import row_conv as row_conv
from refluid.layers.clicks import (
    continuous_value_model as continuous_value_model,
    filter_by_instag as filter_by_instag,
    hash as hash,
)
from refluid.layers.creation import diag_embed as diag_embed
from refluid.layers.decoding import warpctc as warpctc
from refluid.layers.detection.boxes import polygon_box_transform as polygon_box_transform
from refluid.layers.detection.proposals import rpn_target_assign as rpn_target_assign
from refluid.layers.detection.ssd import target_assign as target_assign
from refluid.layers.detection.suppression import multiclass_nms as multiclass_nms
from refluid.layers.embedding import add_position_encoding as add_position_encoding
from refluid.layers.image import similarity_focus as similarity_focus, temporal_shift as temporal_shift
from refluid.layers.pad import random_crop as random_crop
