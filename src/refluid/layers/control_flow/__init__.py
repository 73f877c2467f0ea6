"""control_flow: conditions, loops and arrays of tensors.

In the static mode they build blocks of a program; in the imperative mode the functions run what they choose, and the
classes, which build blocks with `with`, say that there is nothing to build.
"""

from refluid.layers.control_flow.arrays import (
    array_length as array_length,
    array_read as array_read,
    array_write as array_write,
    create_array as create_array,
    tensor_array_to_tensor as tensor_array_to_tensor,
)
from refluid.layers.control_flow.branches import (
    case as case,
    cond as cond,
    switch_case as switch_case,
)
from refluid.layers.control_flow.conditional_block import (
    BlockGuard as BlockGuard,
    ConditionalBlock as ConditionalBlock,
    ConditionalBlockGuard as ConditionalBlockGuard,
)
from refluid.layers.control_flow.dynamic_rnn import DynamicRNN as DynamicRNN
from refluid.layers.control_flow.if_else import IfElse as IfElse
from refluid.layers.control_flow.loops import (
    While as While,
    while_loop as while_loop,
)
from refluid.layers.control_flow.rank_table import (
    array_to_lod_tensor as array_to_lod_tensor,
    lod_rank_table as lod_rank_table,
    lod_tensor_to_array as lod_tensor_to_array,
    max_sequence_len as max_sequence_len,
    reorder_lod_tensor_by_rank as reorder_lod_tensor_by_rank,
    shrink_memory as shrink_memory,
)
from refluid.layers.control_flow.select import (
    select_input as select_input,
    select_output as select_output,
)
from refluid.layers.control_flow.split_merge import (
    merge_lod_tensor as merge_lod_tensor,
    split_lod_tensor as split_lod_tensor,
)
from refluid.layers.control_flow.static_rnn import StaticRNN as StaticRNN
from refluid.layers.control_flow.switch import Switch as Switch
