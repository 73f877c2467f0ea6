"""blocks: operators that carry a block: how their bodies are built, and written inline as Python control flow.

Note [Loops and their gradients]: a `while` becomes a Python loop. If the program holds its `while_grad`, every
iteration appends to a list what the gradient's body will read of it. `while_grad` goes through that list backwards. The
list is the variable in the slot StepScopes, so a loop inside a loop is saved like any other value. What a
`conditional_block_grad` reads of its `conditional_block` are further outputs of that.
"""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
