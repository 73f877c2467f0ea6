"""python -m refluid.distributed.launch, which paddle.distributed.launch is."""

import sys

from refluid.distributed.launch.command import main

sys.exit(main())
