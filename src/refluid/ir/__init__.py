"""ir: programs as data. Program, Block, Operator, Variable, and the recorder that writes operator calls into them."""

from refluid.ir import recorder as recorder  # importing it makes recording the current mode
