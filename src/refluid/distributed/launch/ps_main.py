"""python -m paddle.distributed.launch_ps."""

import sys

from refluid.distributed.launch.servers import main

sys.exit(main())
