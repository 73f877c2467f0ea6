"""The garbage collector waits while paddle is imported.

A thousand modules make hundreds of thousands of objects, and none of them is garbage. The collector would walk them
again and again: a quarter of the time of the import. Later collections leave them out too, the one at the end of the
process above all: it walked every module of torch and of this project, for as long as a quarter of the import.
"""

from __future__ import annotations

import gc


class CollectorPause:
    """Stops the collector until it is deleted: also when an import in between fails and takes its module along."""

    def __init__(self) -> None:
        self._was_running = gc.isenabled()
        gc.disable()

    def __del__(self) -> None:
        if self._was_running:
            gc.freeze()  # what has been imported stays: no collection need look at it
            gc.enable()
