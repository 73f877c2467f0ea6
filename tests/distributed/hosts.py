"""Hosts for tests: network namespaces at one switch, each with a name that the others can resolve."""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

_NETWORK = "10.78.0"


class Hosts:
    """`command` says how something is run on one of them."""

    def __init__(self, spaces: dict[str, str], table: Path):
        self._spaces, self._table = spaces, table

    def command(self, name: str, command: list[str]) -> list[str]:
        """As a user of that host would start it; /etc/hosts is the test's, for this process alone."""
        inner = f"mount --bind {shlex.quote(str(self._table))} /etc/hosts && exec {shlex.join(command)}"
        return ["ip", "netns", "exec", self._spaces[name], "unshare", "--mount", "sh", "-c", inner]


@contextlib.contextmanager
def hosts(names: list[str], folder: Path) -> Iterator[Hosts]:
    """Hosts of these names; the test is skipped where namespaces are not allowed."""
    tag = uuid.uuid4().hex[:6]
    switch, spaces = f"refluid-{tag}", {name: f"refluid-{tag}-{i}" for i, name in enumerate(names)}
    table = folder / "hosts"
    addresses = {name: f"{_NETWORK}.{i + 1}" for i, name in enumerate(names)}
    table.write_text("127.0.0.1 localhost\n" + "".join(f"{at} {name}\n" for name, at in addresses.items()))
    try:
        try:
            _connect(switch, spaces, addresses, tag)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"network namespaces are not allowed here: {error}")
        yield Hosts(spaces, table)
    finally:
        for space in (switch, *spaces.values()):
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _connect(switch: str, spaces: dict[str, str], addresses: dict[str, str], tag: str) -> None:
    ip("netns", "add", switch)
    ip("-n", switch, "link", "add", "bridge", "type", "bridge")
    ip("-n", switch, "link", "set", "bridge", "up")
    for i, (name, space) in enumerate(spaces.items()):
        ip("netns", "add", space)
        here, there = f"{tag}h{i}", f"{tag}s{i}"
        ip("link", "add", here, "netns", space, "type", "veth", "peer", "name", there, "netns", switch)
        ip("-n", switch, "link", "set", there, "master", "bridge")
        ip("-n", switch, "link", "set", there, "up")
        ip("-n", space, "addr", "add", f"{addresses[name]}/24", "dev", here)
        ip("-n", space, "link", "set", here, "up")
        ip("-n", space, "link", "set", "lo", "up")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
