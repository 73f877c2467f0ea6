"""Requests and answers over gRPC: one method that takes bytes and gives bytes (wire.py).

gRPC brings framing, connections that come back, deadlines, keepalive and limits of sizes. A request may be sent again
after a failure that tells nothing about its fate, so whoever handles requests must take each once (rounds.py).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server.wire import Message, WireError, decode, encode

_SERVICE, _METHOD = "refluid.Server", "Call"
_KEEPALIVE = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
]
_PAUSE = 0.2  # seconds between two attempts
_WAS_THERE = 5.0  # an attempt that took longer had found the server

Handler = Callable[[Message], Message]


class Unreachable(EnforceNotMet):
    """A server that has not answered in time."""


class Refused(EnforceNotMet):
    """The server has answered that it will not do it; `code` says why to programs, the text to people."""

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.code = code


class Listener:
    """Answers requests at `endpoint`, and at no other address, until it is closed.

    Args:
        handle: gives the answer to a request; it may wait. `Refused` becomes an answer, everything else is an error.
        workers: how many requests may be handled (or wait) at a time.
        most_bytes: the size of the largest message that is taken.
    """

    def __init__(self, endpoint: str, handle: Handler, workers: int, most_bytes: int, say: Callable[[str], None]):
        self._handle, self._say = handle, say
        self._told: set[str] = set()
        options = [
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", most_bytes),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_metadata_size", 8192),
            ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
            *_KEEPALIVE,
        ]
        method = grpc.unary_unary_rpc_method_handler(self._answer)  # no serializers: bytes as they are
        self._server = grpc.server(
            ThreadPoolExecutor(workers, thread_name_prefix="refluid-server"),
            handlers=[grpc.method_handlers_generic_handler(_SERVICE, {_METHOD: method})],
            options=options,
            maximum_concurrent_rpcs=workers,
        )
        try:
            port = self._server.add_insecure_port(endpoint)
        except RuntimeError:
            port = 0
        if not port:
            raise EnforceNotMet(f"cannot listen at {endpoint}: the port is in use, or the address is not of this host")
        self.port = port
        self._server.start()

    def _answer(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            return encode(self._handle(decode(data)))
        except Refused as error:
            self._tell_once(f"refused {context.peer()}: {error}")
            return encode(Message("refused", {"code": error.code, "text": str(error)}))
        except WireError as error:
            self._tell_once(f"refused {context.peer()}: {error}")
            return encode(Message("refused", {"code": "wire", "text": str(error)}))
        except Exception as error:
            self._say(f"failed: {type(error).__name__}: {error}")
            return encode(Message("refused", {"code": "failed", "text": f"{type(error).__name__}: {error}"[:4000]}))

    def _tell_once(self, line: str) -> None:
        if len(self._told) < 1000 and line not in self._told:
            self._told.add(line)
            self._say(line)

    def close(self, grace: float = 1.0) -> None:
        """Take no more requests; those under way have `grace` seconds."""
        self._server.stop(grace).wait()


class Connection:
    """The way to one server. Several threads may use it."""

    def __init__(self, endpoint: str):
        self.endpoint = endpoint
        options = [
            ("grpc.max_receive_message_length", -1),
            ("grpc.max_send_message_length", -1),
            ("grpc.enable_http_proxy", 0),
            ("grpc.enable_retries", 0),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 2_000),
            ("grpc.max_reconnect_backoff_ms", 1_000),
            *_KEEPALIVE,
        ]
        self._channel = grpc.insecure_channel(endpoint, options=options)
        self._call = self._channel.unary_unary(f"/{_SERVICE}/{_METHOD}")
        self._closed = threading.Event()

    def call(self, message: Message, seconds: float, attempt: float | None = None) -> Message:
        """The answer to `message`.

        While the server is not there the message is sent again, for `seconds`. A server that is there may take
        `attempt` seconds, or as long as it likes (None: keepalive tells whether it is still there).
        """
        data = encode(message)
        end = time.monotonic() + seconds
        while True:
            began = time.monotonic()
            try:
                answer = decode(self._call(data, timeout=attempt))
            except (grpc.RpcError, ValueError) as error:
                if attempt is None and time.monotonic() - began > _WAS_THERE:
                    end = time.monotonic() + seconds
                if time.monotonic() >= end or self._closed.is_set() or isinstance(error, ValueError):
                    raise self._unreachable(message, error) from None
                code = error.code()
                if code not in (
                    grpc.StatusCode.UNAVAILABLE,
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                    grpc.StatusCode.CANCELLED,
                    grpc.StatusCode.UNKNOWN,
                ) and "Concurrent RPC limit" not in str(error.details()):
                    raise self._unreachable(message, error) from None
                self._closed.wait(_PAUSE)
                continue
            if answer.kind == "refused":
                raise Refused(str(answer.fields.get("code")), str(answer.fields.get("text")))
            return answer

    def _unreachable(self, message: Message, error: Exception) -> Unreachable:
        why = error.details() if isinstance(error, grpc.Call) else str(error)
        return Unreachable(f"the server at {self.endpoint} does not answer ({message.kind}): {why}")

    def close(self) -> None:
        self._closed.set()
        self._channel.close()
