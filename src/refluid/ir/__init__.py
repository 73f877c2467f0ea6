"""ir: programs as data. Program, Block, Operator, Variable, and the recorder that writes operator calls into them."""

from refluid.ir import (
    desc as desc,  # gives programs and their parts their views
    recorder as recorder,  # importing it makes recording the current mode
)
