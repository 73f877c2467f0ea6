"""paddle.nn.functional.extension: functions for special uses."""

from refluid.alpha.nn.functional import row_conv as row_conv
from refluid.layers.creation import diag_embed as diag_embed
from refluid.layers.embedding import add_position_encoding as add_position_encoding
from refluid.layers.image import similarity_focus as similarity_focus, temporal_shift as temporal_shift
from refluid.layers.pad import random_crop as random_crop
