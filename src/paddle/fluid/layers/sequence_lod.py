"""paddle.fluid.layers.sequence_lod: functions of sequences."""

from refluid.layers.sequence import (
    sequence_concat as sequence_concat,
    sequence_conv as sequence_conv,
    sequence_enumerate as sequence_enumerate,
    sequence_expand as sequence_expand,
    sequence_expand_as as sequence_expand_as,
    sequence_first_step as sequence_first_step,
    sequence_last_step as sequence_last_step,
    sequence_mask as sequence_mask,
    sequence_pad as sequence_pad,
    sequence_pool as sequence_pool,
    sequence_reshape as sequence_reshape,
    sequence_reverse as sequence_reverse,
    sequence_scatter as sequence_scatter,
    sequence_slice as sequence_slice,
    sequence_softmax as sequence_softmax,
    sequence_unpad as sequence_unpad,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
