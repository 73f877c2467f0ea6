"""paddle.distributed.launch: starts the processes of a training (python -m paddle.distributed.launch)."""

from refluid.distributed.launch.arguments import parse as _parse_args, print_banner as _print_arguments
from refluid.distributed.launch.command import launch as launch

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
