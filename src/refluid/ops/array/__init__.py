"""array: operators on arrays of tensors, and those that choose between tensors at run time."""
