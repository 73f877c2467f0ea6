"""paddle.fluid.layers.control_flow: control flow."""

from refluid.layers.compare import (
    equal as equal,
    greater_equal as greater_equal,
    greater_than as greater_than,
    is_empty as is_empty,
    less_equal as less_equal,
    less_than as less_than,
    not_equal as not_equal,
)
from refluid.layers.control_flow import (
    BlockGuard as BlockGuard,
    ConditionalBlock as ConditionalBlock,
    ConditionalBlockGuard as ConditionalBlockGuard,
    DynamicRNN as DynamicRNN,
    IfElse as IfElse,
    StaticRNN as StaticRNN,
    Switch as Switch,
    While as While,
    array_length as array_length,
    array_read as array_read,
    array_to_lod_tensor as array_to_lod_tensor,
    array_write as array_write,
    case as case,
    cond as cond,
    create_array as create_array,
    lod_rank_table as lod_rank_table,
    lod_tensor_to_array as lod_tensor_to_array,
    max_sequence_len as max_sequence_len,
    merge_lod_tensor as merge_lod_tensor,
    reorder_lod_tensor_by_rank as reorder_lod_tensor_by_rank,
    select_input as select_input,
    select_output as select_output,
    shrink_memory as shrink_memory,
    split_lod_tensor as split_lod_tensor,
    switch_case as switch_case,
    while_loop as while_loop,
)
from refluid.layers.debug import Assert as Assert, Print as Print
from refluid.layers.math import increment as increment

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
