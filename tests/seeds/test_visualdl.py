"""The course's chapter on VisualDL: its program writes the curves, `visualdl` serves them, a browser draws them."""

import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from pathlib import Path

import pytest
from tests.browser import chromium
from tests.seeds.test_dygraph_1_7 import course as course

ARTEFACT = Path(__file__).parents[2] / "build" / "tests" / "visualdl.png"

pytest.importorskip("visualdl", reason="pip install 'refluid[viz]'", exc_type=ImportError)


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def status(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def serve(tmp_path):
    """serve(arguments) starts `visualdl --logdir ./log` and gives its address; it ends with the test."""
    command = shutil.which("visualdl", path=str(Path(sys.executable).parent)) or shutil.which("visualdl")
    started = []

    def start(*arguments):
        port = free_port()
        process = subprocess.Popen(
            [command, "--logdir", "./log", "--port", str(port), *arguments],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        started.append(process)
        for _ in range(1200):
            assert process.poll() is None, process.stdout.read().decode()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return f"http://127.0.0.1:{port}/app/index"
            time.sleep(0.1)
        raise AssertionError("visualdl does not listen")

    yield start
    for process in started:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def test_a_browser_draws_the_loss_of_the_courses_program(course, serve, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of VisualDL's own imports
        course("dygraph_1_7/log_writer.py")
    printed = course("dygraph_1_7/train_with_visualdl.py")
    course["log_writer"].close()
    written = [float(value) for value in re.findall(r"batch: 0, loss is: \[(.*?)\]", printed)]
    assert len(written) == 10
    with chromium(tmp_path / "profile") as page:
        page.open(serve())
        # The page begins with the first kind of data that the server has read so far: scalars may come behind graphs.
        scalars = "[...document.querySelectorAll('a')].find(a => a.textContent.trim() == 'Scalars')"
        page.wait_for(scalars + " != null")
        page.ask(scalars + ".click()")
        header = "[...document.querySelectorAll('h3')].find(h => h.textContent.trim() == 'loss')"
        page.wait_for(header + " != null")
        before = page.ask("document.querySelectorAll('canvas').length")
        page.ask(header + ".click()")  # the second group of curves is closed
        page.wait_for(f"document.querySelectorAll('canvas').length > {before}")
        # pixels of a chart that have a colour: its curve
        drawn = (
            "[...document.querySelectorAll('canvas')].map(c => [...c.getContext('2d').getImageData(0, 0, c.width, "
            "c.height).data].filter((v, i, a) => i % 4 == 2 && a[i + 1] > 0 && v > a[i - 2] + 60).length)"
        )
        page.wait_for(f"({drawn}).filter(count => count > 200).length >= 2")
        page.picture(ARTEFACT)
    assert ARTEFACT.stat().st_size > 10_000


def test_clients_that_send_no_language_want_it_told_at_the_start(serve, tmp_path):
    (tmp_path / "log").mkdir()
    # VisualDL 2.5.3 puts the client's language into a cookie and fails where there is none: docs/decisions/0019.
    assert status(serve("--language", "en")) == 200
    assert status(serve(), **{"Accept-Language": "zh"}) == 200
