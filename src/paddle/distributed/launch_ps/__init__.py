"""paddle.distributed.launch_ps: starts servers and workers (python -m paddle.distributed.launch_ps)."""

from refluid.distributed.launch.servers import main as launch
