"""A headless Chromium that tests drive through its debugging pipe: open a page, ask it something, take a picture."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --window-size=1400,900 --lang=en-US"
).split()


class Browser:
    """One page of a running Chromium."""

    def __init__(self, process: subprocess.Popen, to: int, back: int):
        self._process, self._to, self._back = process, to, back
        self._rest, self._number, self._session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol; its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._back], [], [], 120)
            part = os.read(self._back, 1 << 16) if ready else b""
            assert part, "chromium does not answer"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, expression: str, seconds: float = 120) -> Any:
        """The value of a JavaScript expression, as soon as it is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.ask(expression)
            if value:
                return value
            time.sleep(0.2)
        raise AssertionError(f"the page never had {expression}; it shows {self.ask('document.body.innerText')!r}")

    def picture(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A Chromium with a profile of its own in `folder`; the test is skipped where none is installed."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    # Chromium reads commands from descriptor 3 and answers on 4.
    child_reads, to = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in _pipe())
    back, child_writes = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in _pipe())

    def connect() -> None:
        os.dup2(child_reads, 3)
        os.dup2(child_writes, 4)

    process = subprocess.Popen(
        [program, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={folder}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=connect,
    )  # fmt: skip
    os.close(child_reads)
    os.close(child_writes)
    try:
        yield Browser(process, to, back)
    finally:
        process.terminate()
        process.wait(30)
        os.close(to)
        os.close(back)


def _pipe() -> Iterator[int]:
    for fd in os.pipe():
        yield fd
        os.close(fd)
