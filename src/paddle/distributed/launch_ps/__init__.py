"""paddle.distributed.launch_ps: starts servers and workers (python -m paddle.distributed.launch_ps)."""

from refluid.distributed.launch.servers import main as launch, parse as parse_args, start as start_procs

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
