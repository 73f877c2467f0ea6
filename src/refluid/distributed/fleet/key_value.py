"""KVServer: keys and values over HTTP, by which role makers of Fluid meet."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class KVHandler(BaseHTTPRequestHandler):
    """GET, PUT and DELETE of /scope/key."""

    server: KVHTTPServer

    def _place(self) -> tuple[str, str] | None:
        parts = self.path.split("/")
        if len(parts) != 3:
            self.send_status_code(400)
            return None
        return parts[1], parts[2]

    def do_GET(self) -> None:
        place = self._place()
        if place is None:
            return
        with self.server.kv_lock:
            value = self.server.kv.get(place[0], {}).get(place[1])
        if value is None:
            self.send_status_code(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(value)))
        self.end_headers()
        self.wfile.write(value)

    def do_PUT(self) -> None:
        place = self._place()
        if place is None:
            return
        value = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.kv_lock:
            self.server.kv.setdefault(place[0], {})[place[1]] = value
        self.send_status_code(200)

    def do_DELETE(self) -> None:
        """Count a deletion of a key; the value stays."""
        place = self._place()
        if place is None:
            return
        with self.server.delete_kv_lock:
            self.server.delete_kv.setdefault(place[0], []).append(place[1])
        self.send_status_code(200)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""

    def send_status_code(self, code: int) -> None:
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()


class KVHTTPServer(ThreadingHTTPServer):
    """Holds the values. It listens at `host`: the loopback, unless another address of this machine is given."""

    daemon_threads = True

    def __init__(self, port: int, handler: type[KVHandler] = KVHandler, host: str = "127.0.0.1"):
        super().__init__((host, port), handler)
        self.kv_lock = threading.Lock()
        self.kv: dict[str, dict[str, bytes]] = {}
        self.delete_kv_lock = threading.Lock()
        self.delete_kv: dict[str, list[str]] = {}

    def get_deleted_size(self, key: str) -> int:
        """How many keys of a scope were deleted."""
        with self.delete_kv_lock:
            return len(self.delete_kv.get(key, []))


class KVServer:
    """A KVHTTPServer in a thread.

    Args:
        size: {scope: how many keys will be deleted in it before the server may stop}.
    """

    def __init__(self, port: int, size: dict[str, int] | None = None, host: str = "127.0.0.1"):
        self.http_server = KVHTTPServer(port, KVHandler, host)
        self.size = dict(size or {})
        self.listen_thread: threading.Thread | None = None

    def start(self) -> None:
        self.listen_thread = threading.Thread(target=self.http_server.serve_forever, daemon=True)
        self.listen_thread.start()

    def stop(self) -> None:
        self.http_server.shutdown()
        if self.listen_thread is not None:
            self.listen_thread.join()
        self.http_server.server_close()

    def shoud_stop(self) -> bool:
        """Whether all expected keys were deleted."""
        return all(self.http_server.get_deleted_size(scope) == count for scope, count in self.size.items())
