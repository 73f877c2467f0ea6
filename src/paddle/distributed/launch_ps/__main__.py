"""python -m paddle.distributed.launch_ps."""

import refluid.distributed.launch.ps_main
