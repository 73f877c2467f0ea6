"""Machines for tests: network namespaces with an address each, joined by a cable."""

from __future__ import annotations

import contextlib
import subprocess
import uuid
from collections.abc import Iterator

import pytest


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def two_nodes(first: str = "10.77.0.1", second: str = "10.77.0.2") -> Iterator[list[str]]:
    """The names of two namespaces; skips the test, with a word, where they are not allowed."""
    name = uuid.uuid4().hex[:6]
    spaces = [f"refluid-{name}-{i}" for i in range(2)]
    try:
        _connect(name, spaces, [first, second])
    except (OSError, subprocess.CalledProcessError) as error:
        _remove(spaces)
        pytest.skip(f"network namespaces are not allowed here: {error}")
    try:
        yield spaces
    finally:
        _remove(spaces)


def _connect(name: str, spaces: list[str], addresses: list[str]) -> None:
    for space in spaces:
        ip("netns", "add", space)
    ends = [f"{name}a", f"{name}b"]
    there = ["peer", "name", ends[1], "netns", spaces[1]]
    ip("link", "add", ends[0], "netns", spaces[0], "type", "veth", *there)
    for space, end, address in zip(spaces, ends, addresses, strict=True):
        ip("-n", space, "addr", "add", f"{address}/24", "dev", end)
        ip("-n", space, "link", "set", end, "up")
        ip("-n", space, "link", "set", "lo", "up")


def _remove(spaces: list[str]) -> None:
    for space in spaces:
        subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)
