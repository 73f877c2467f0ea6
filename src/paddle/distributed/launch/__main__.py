"""python -m paddle.distributed.launch."""

import refluid.distributed.launch.__main__
