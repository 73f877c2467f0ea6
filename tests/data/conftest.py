"""A cache folder of data sets that belongs to one test."""

import pytest

from refluid.data.datasets import bundled, common, mnist, uci_housing


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    for memory in (bundled.announce, mnist._digits, uci_housing._tables):
        memory.cache_clear()
    return tmp_path
