"""The logger and the download of weights."""

import hashlib
import http.server
import threading

import pytest

from paddle.incubate.hapi.download import get_weights_path_from_url
from paddle.incubate.hapi.logger import setup_logger
from refluid.data.datasets import common


def test_a_logger_writes_to_the_screen_and_to_a_file(tmp_path, capsys):
    logger = setup_logger(str(tmp_path / "logs"), name="test.hapi")
    logger.info("epoch 1")
    again = setup_logger(str(tmp_path / "logs"), name="test.hapi")  # no line comes twice
    again.info("epoch 2")
    out = capsys.readouterr().out
    assert out.count("epoch 1") == 1 and out.count("epoch 2") == 1 and "INFO: epoch" in out
    assert (tmp_path / "logs" / "log.txt").read_text().count("epoch") == 2
    setup_logger(name="test.hapi").handlers.clear()


def test_other_processes_log_to_files_of_their_own(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINER_ID", "2")
    logger = setup_logger(str(tmp_path / "run.log"), name="test.rank")
    logger.info("hello")
    assert capsys.readouterr().out == ""
    assert "hello" in (tmp_path / "run.log.rank2").read_text()
    setup_logger(name="test.rank")


@pytest.fixture
def address(tmp_path):
    """Where a small server of this machine gives out a folder."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "net.pdparams").write_bytes(b"weights")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/net.pdparams"
        server.shutdown()
        thread.join()


def test_weights_are_fetched_once_and_checked(address, tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "cache"))
    digest = hashlib.md5(b"weights").hexdigest()
    path = get_weights_path_from_url(address, digest)
    with open(path, "rb") as file:
        assert file.read() == b"weights"
    assert get_weights_path_from_url("http://127.0.0.1:9/net.pdparams", digest) == path  # nobody is asked
    with pytest.raises(RuntimeError, match="the MD5 sum is"):
        get_weights_path_from_url(address, "0" * 32)
    with pytest.raises(ValueError, match="md5sum of http.* must be given"):
        get_weights_path_from_url(address)
    with pytest.raises(ValueError, match="url must begin with http"):
        get_weights_path_from_url("/etc/passwd", digest)
