"""Weights from the network."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.data.datasets import common


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """The path of a file of weights, fetched unless it is in the cache folder with the right MD5 sum."""
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        raise ArgumentError(f"get_weights_path_from_url: url must begin with http:// or https://, got {url!r}")
    if md5sum is None:
        raise ArgumentError(f"get_weights_path_from_url: md5sum of {url} must be given; what is fetched is checked")
    return common.download(url, "weights", md5sum)
