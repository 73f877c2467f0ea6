"""Downloads are retried, checked and whole; samples split into files come back."""

import concurrent.futures
import hashlib
import http.server
import threading

import pytest

import paddle
from refluid.data.datasets import common

CONTENT = b"fluid" * 50_000
MD5 = hashlib.md5(CONTENT).hexdigest()


@pytest.fixture
def server():
    """A server that first gives the answers it is told to and then the right one."""

    class Answers(http.server.BaseHTTPRequestHandler):
        first: list[tuple[int, bytes]] = []
        asked = 0
        ranges = False  # whether a part may be asked for
        starts: list[int] = []

        def do_GET(self):
            type(self).asked += 1
            status, body = self.first.pop(0) if self.first else (200, CONTENT)
            size = len(CONTENT)
            if self.ranges and "Range" in self.headers:
                start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
                type(self).starts.append(start)
                status, body, size = 206, CONTENT[start:], len(CONTENT) - start
            self.send_response(status)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        Answers.url = f"http://127.0.0.1:{running.server_port}/digits.gz"
        yield Answers
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_a_file_is_fetched_once(home, server):
    path = common.download(server.url, "digits", MD5)
    assert path == str(home / "digits" / "digits.gz")
    assert common.md5file(path) == MD5
    assert common.download(server.url, "digits", MD5) == path
    assert server.asked == 1
    assert common.download(server.url, "digits", MD5, "other") == str(home / "digits" / "other")


def test_broken_answers_are_tried_again_and_leave_nothing_behind(home, server):
    server.first = [(503, b""), (200, CONTENT[:1000])]
    common.download(server.url, "digits", MD5)
    assert server.asked == 3
    assert [entry.name for entry in (home / "digits").iterdir()] == ["digits.gz"]


def test_a_download_goes_on_where_it_stopped(home, server):
    server.ranges = True
    server.first = [(200, CONTENT[:200_000])]
    path = common.download(server.url, "digits", MD5)
    assert server.starts == [3 * common._CHUNK]  # whole pieces are kept
    assert common.md5file(path) == MD5
    assert [entry.name for entry in (home / "digits").iterdir()] == ["digits.gz"]


def test_a_wrong_beginning_is_thrown_away(home, server):
    server.ranges = True
    (home / "digits").mkdir()
    (home / "digits" / "digits.gz.part").write_bytes(b"of another file")
    assert common.md5file(common.download(server.url, "digits", MD5)) == MD5
    assert server.asked == 2


def test_several_processes_fetch_a_file_once(home, server):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: common.download(server.url, "digits", MD5), range(4)))
    assert len(set(paths)) == 1 and common.md5file(paths[0]) == MD5
    assert server.asked == 1
    assert [entry.name for entry in (home / "digits").iterdir()] == ["digits.gz"]


def test_a_wrong_file_is_replaced_and_never_kept(home, server):
    (home / "digits").mkdir()
    (home / "digits" / "digits.gz").write_bytes(b"old")
    common.download(server.url, "digits", MD5)
    assert common.md5file(home / "digits" / "digits.gz") == MD5
    with pytest.raises(
        RuntimeError, match=f"(?s)cannot get {server.url} in 3 attempts.*the MD5 sum is {MD5}, expected 0"
    ):
        common.download(server.url, "digits", "0", "wrong")
    assert not (home / "digits" / "wrong").exists()


def test_split_files_come_back_shared_among_trainers(tmp_path):
    paddle.dataset.common.split(lambda: iter(range(10)), 3, suffix=str(tmp_path / "part-%02d.pickle"))
    pattern = str(tmp_path / "part-*.pickle")
    shares = [list(paddle.dataset.common.cluster_files_reader(pattern, 2, i)()) for i in (0, 1)]
    assert shares == [[0, 1, 2, 6, 7, 8], [3, 4, 5, 9]]


def test_functions_are_demanded():
    with pytest.raises(TypeError, match="split: dumper must be callable, got int"):
        paddle.dataset.common.split(lambda: iter(()), 3, dumper=3)
    with pytest.raises(TypeError, match="cluster_files_reader: loader must be callable, got int"):
        paddle.dataset.common.cluster_files_reader("*", 1, 0, loader=3)


def test_everything_is_fetched(monkeypatch):
    fetched = []
    monkeypatch.setattr(common, "download", lambda url, module, *_: fetched.append(module))
    paddle.dataset.common.fetch_all()
    assert len(set(fetched)) == 13
