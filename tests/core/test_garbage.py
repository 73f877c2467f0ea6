"""The collector waits while paddle is imported, and goes on afterwards."""

import gc
import subprocess
import sys

import pytest

from refluid.core.garbage import CollectorPause

_IMPORT = """
import gc
gc.{before}()
import paddle
assert gc.isenabled() is {running}
assert (gc.get_freeze_count() > 100_000) is {running}  # what was imported is not walked again
"""


@pytest.mark.parametrize(("before", "running"), [("enable", True), ("disable", False)])
def test_the_import_leaves_the_collector_as_it_was(before, running):
    script = _IMPORT.format(before=before, running=running)
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=120)


def test_the_collector_goes_on_when_what_holds_the_pause_fails():
    def fails():
        pause = CollectorPause()
        assert not gc.isenabled(), pause
        raise ImportError

    with pytest.raises(ImportError):
        fails()
    del fails
    gc.collect()
    assert gc.isenabled()
