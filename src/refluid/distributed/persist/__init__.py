"""Saving and loading where parameter servers hold the parameters; saving/variables.py calls it by name."""

from refluid.distributed.persist.load import load_distributed as load_distributed
from refluid.distributed.persist.save import save_distributed as save_distributed
