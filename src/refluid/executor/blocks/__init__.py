"""blocks: operators that carry a block, written inline as Python control flow.

Note [Loops and their gradients]: a `while` becomes a Python loop. If the program holds its `while_grad`, every round
appends to a list what the gradient's block will read of it: values made inside, and outer variables that the block
writes over, as they were when the round began. `while_grad` goes through that list backwards. The list is the variable
in the slot StepScopes, so a loop inside a loop is saved like any other value. `conditional_block_grad` reads the
locals of its `conditional_block`, which the plan keeps for it.
"""

from refluid.executor.blocks import (
    emit_conditional as emit_conditional,
    emit_loop as emit_loop,
    emit_recurrent as emit_recurrent,
    emit_select as emit_select,
)
