"""paddle.nn.layer.norm: normalisation."""

from refluid.nn.norm import BatchNorm as BatchNorm, LayerNorm as LayerNorm
from refluid.nn.norm_in_sample import GroupNorm as GroupNorm, InstanceNorm as InstanceNorm, SpectralNorm as SpectralNorm
