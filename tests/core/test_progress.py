"""Long work shows bars on terminals and in notebooks, plain lines elsewhere."""

import functools
import hashlib
import http.server
import io
import os
import pty
import re
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

from refluid.core import progress
from refluid.core.progress import Progress, can_redraw
from tests.leftovers import no_new_thread

CONTENT = b"fluid" * 50_000
SCRIPT = Path(__file__).with_name("long_work.py")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "digits.gz").write_bytes(CONTENT)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/digits.gz"
        running.shutdown()
        thread.join()


def ran(folder, address, output):
    command = [sys.executable, str(SCRIPT), str(folder), address, hashlib.md5(CONTENT).hexdigest()]
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "COLUMNS": "200"}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)


def on_a_terminal(folder, address):
    ours, theirs = pty.openpty()
    process = ran(folder, address, theirs)
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # how Linux says that nobody writes to it any more
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    text = b"".join(pieces).decode().replace("\r\n", "\n")
    assert process.wait() == 0, text
    return text


def into_a_pipe(folder, address):
    process = ran(folder, address, subprocess.PIPE)
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode(), err.decode()


def part(text, name):
    return text.split(f"<{name}>\n")[1].split(f"</{name}>")[0]


def test_a_terminal_gets_bars(tmp_path, address):
    text = on_a_terminal(tmp_path, address)
    assert re.search(r"\rstep 2/4 \[=+>\.+\] - loss: [\d.]+", part(text, "fit"))
    training = part(text, "train_from_dataset")
    assert re.search(r"\rtrain_from_dataset: \d+ batches \[\d\d:\d\d, ", training)
    assert re.search(r"\rtrain_from_dataset: 8 batches \[.*\n$", training)  # stays, on a line of its own
    assert len(re.findall(r"(?:^|[\r\n])doubled\ttmp_0\n\tdim: 2, 1\n", training)) == 2  # never behind a bar
    assert re.search(r"\rexport --to torch: reading the model: +\|.*\| 0/2 \[\d\d:\d\d\]", part(text, "export"))
    assert re.search(r"\rexport --to torch: writing: +\|.*\| 2/2 \[\d\d:\d\d\]\n$", part(text, "export"))
    download = part(text, "download")
    assert re.search(rf"\r{address}: 100%\|.*\| 250k/250k \[.*\n$", download)


def test_a_pipe_gets_lines_and_what_a_program_prints_stays_alone(tmp_path, address):
    out, err = into_a_pipe(tmp_path, address)
    assert "\r" not in out + err
    assert re.fullmatch(r"Epoch 1/1\nstep 4/4 - loss: [\d.]+ - \d+[mu]?s/step\n", part(out, "fit"))
    assert part(out, "train_from_dataset").count("doubled\t") == 2
    assert part(out, "export") == part(out, "download") == ""
    lines = [re.sub(r"[\d.]+ s$", "T s", line) for line in err.splitlines()]
    assert lines == [
        "train_from_dataset: done, 8 batches, T s",
        "export --to torch: done, 2 stages, T s",
        f"{address}: done, 250kB, T s",
    ]


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


def test_a_line_every_few_seconds_where_nothing_can_be_redrawn(clock, capsys):
    with Progress("work", 100, unit="pieces") as shown:
        for _ in range(25):
            clock.now += 1.0
            shown.add(4)
    assert capsys.readouterr().err.splitlines() == [
        "work, 40 of 100 pieces, 10.0 s",
        "work, 80 of 100 pieces, 20.0 s",
        "work: done, 100 pieces, 25.0 s",
    ]


def test_short_work_shows_nothing(capsys, monkeypatch):
    with Progress("work", 2, delay=60.0) as shown:
        shown.add(2)
    monkeypatch.setattr("sys.stderr", Terminal())
    with Progress("work", 2, delay=60.0) as shown, shown.ticking():
        shown.stage("first")
        with shown.aside():
            print("said")
        shown.add(1)
    assert capsys.readouterr().err == "" and sys.stderr.getvalue() == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_work_that_fails_leaves_the_line_of_the_bar(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr", Terminal())
    with pytest.raises(ValueError, match="broken"), Progress("work", 2) as shown:
        shown.add(1)
        raise ValueError("broken")
    assert sys.stderr.getvalue().endswith("\n")


def test_no_thread_stays(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    with no_new_thread(), Progress("work") as shown, shown.ticking():
        shown.add()


def test_a_notebook_gets_bars(monkeypatch):
    class OutStream(io.StringIO):
        """Jupyter's: it says that it is no terminal."""

    monkeypatch.setitem(sys.modules, "ipykernel.iostream", types.SimpleNamespace(OutStream=OutStream))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # not installed
    monkeypatch.setattr("sys.stderr", OutStream())
    assert can_redraw(sys.stderr) and not can_redraw(io.StringIO())
    with Progress("work", 2) as shown:
        shown.add(2)
    assert "\rwork: 100%|" in sys.stderr.getvalue()
