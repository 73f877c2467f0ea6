"""Requests and answers over gRPC, bytes to bytes (wire.py).

gRPC provides framing, reconnection, deadlines, keepalive and size limits. A request may be sent again
after a failure of unknown effect, so handlers must be idempotent (rounds.py).

Members send requests as bodies of `Call`, with their session in the metadata: a server looks at that before it takes
any memory for the body. Small ones are in the metadata too. Everybody else can `Knock`: the request is in the metadata,
which gRPC keeps small, and a body is not read. On one host the bodies of large requests and answers are in shared
memory (areas.py).
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from refluid.core.errors import EnforceNotMet
from refluid.distributed.server import local, tls
from refluid.distributed.server.areas import NOTE, Areas, OpenedAreas, Unshared, answer_in
from refluid.distributed.server.crash_points import crash_point
from refluid.distributed.server.strangers import Strangers
from refluid.distributed.server.wire import Message, WireError, decode, encode

_SERVICE = "refluid.Server"
_CALL, _KNOCK = f"/{_SERVICE}/Call", f"/{_SERVICE}/Knock"
_TRAINER, _SESSION, _MESSAGE = "refluid-trainer", "refluid-session", "refluid-message-bin"
_MOST_METADATA = 8192
_SMALL = 2048  # bytes of a member's request that go into the metadata: a body takes its server two more wake-ups
_KEEPALIVE = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
]
_LARGEST = 2**31 - 1  # what gRPC can be told
_PAUSE = 0.2  # seconds between two attempts
_WAS_THERE = 5.0  # an attempt that took longer had reached the server
_TELL_AFTER = 5.0  # seconds of waiting for a server
_RESOLVING = 20.0  # seconds in which the name of a host must be resolved

Handler = Callable[[Message], Message]


class Unreachable(EnforceNotMet):
    """A server that has not answered in time."""


class Refused(EnforceNotMet):
    """The server has refused the request; `code` is the reason for programs, the text for people."""

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.code = code


_asking = threading.local()


def is_waited_for() -> bool:
    """Whether the client of the request that this thread handles still waits for the answer."""
    context = getattr(_asking, "context", None)
    return context is None or context.is_active()


class Listener(grpc.GenericRpcHandler):
    """Answers requests at `endpoint`, and at no other address, until it is closed.

    Args:
        handle: gives the answer to a request; it may wait. `Refused` becomes an answer, everything else is an error.
        admit: refuses a trainer, by its number, if this is not its session.
        workers: how many requests may be handled (or wait) at a time.
        most_bytes: the size of the largest message of a member.
    """

    def __init__(
        self,
        endpoint: str,
        handle: Handler,
        admit: Callable[[int, str], object],
        workers: int,
        most_bytes: int,
        say: Callable[[str], None],
    ):
        self._handle, self._admit, self._say = handle, admit, say
        self._told: set[object] = set()
        self._areas = OpenedAreas(most_bytes)
        options = [
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", min(most_bytes, _LARGEST)),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_metadata_size", _MOST_METADATA),
            ("grpc.absolute_max_metadata_size", 2 * _MOST_METADATA),
            ("grpc.max_concurrent_streams", 64),
            ("grpc.server_handshake_timeout_ms", 10_000),
            ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
            *_KEEPALIVE,
        ]
        self._server = grpc.server(
            ThreadPoolExecutor(workers, thread_name_prefix="refluid-server"),
            handlers=[self],
            options=options,
            maximum_concurrent_rpcs=workers,
        )
        self.port = self._bind(endpoint)
        self._strangers = Strangers(endpoint.rpartition(":")[0], self.port, self._tell_of_stranger)
        self._server.start()

    def _bind(self, endpoint: str) -> int:
        host, _, number = endpoint.rpartition(":")
        if not host or not number.isdigit() or int(number) > 65535:
            raise EnforceNotMet(f"cannot listen at {endpoint!r}: expected host:port, as in 127.0.0.1:6174")
        credentials = tls.of_server()
        try:
            if credentials is not None:
                port = self._server.add_secure_port(endpoint, credentials)
            else:
                port = self._server.add_insecure_port(endpoint)
        except RuntimeError:
            port = 0
        if not port:
            raise EnforceNotMet(f"cannot listen at {endpoint}: the port is in use, or the address is not of this host")
        path = local.socket_of(f"{endpoint.rpartition(':')[0]}:{port}") if credentials is None else None
        if path is not None:
            self._server.add_insecure_port(f"unix:{path}")
        return port

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        """Who handles a request; its body has not been read. No serializers: bytes as they are."""
        metadata = dict(details.invocation_metadata)
        if details.method == _KNOCK:
            return grpc.stream_unary_rpc_method_handler(
                lambda body, context: self._answer(bytes(metadata.get(_MESSAGE, b"")), context)
            )
        if details.method != _CALL:
            return None
        try:
            self._admit(int(metadata.get(_TRAINER, "-1")), str(metadata.get(_SESSION, "")))
        except (Refused, ValueError) as error:
            refusal = error if isinstance(error, Refused) else Refused("wire", "a trainer has a number")
            return grpc.stream_unary_rpc_method_handler(lambda body, context: self._refuse(refusal, context))
        if (note := metadata.get(_MESSAGE)) is not None:
            return grpc.stream_unary_rpc_method_handler(lambda body, context: self._answer_member(bytes(note), context))
        return grpc.unary_unary_rpc_method_handler(self._answer_member)

    def _answer(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        return self._safely(lambda: encode(self._handled(decode(data), context)), context)

    def _answer_member(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        """As `_answer`; the request may be a note that refers to memory that the member shares."""

        def answer() -> bytes:
            message = decode(data)
            if message.kind != NOTE:
                return encode(self._handled(message, context))
            if not _is_local(context):
                raise Unshared("memory is shared on one host, by its socket")
            request, room = self._areas.request(message)
            return answer_in(room, self._handled(request, context))

        return self._safely(answer, context)

    def _handled(self, message: Message, context: grpc.ServicerContext) -> Message:
        _asking.context = context
        self._strangers.heard(context.peer())
        answer = self._handle(message)
        crash_point(f"before_answer_{message.kind}")
        context.add_callback(lambda: crash_point(f"after_answer_{message.kind}"))
        return answer

    def _safely(self, answer: Callable[[], bytes], context: grpc.ServicerContext) -> bytes:
        try:
            return answer()
        except Refused as error:
            return self._refuse(error, context)
        except WireError as error:
            return self._refuse(Refused("wire", error.summary), context)
        except Unshared as error:
            return self._refuse(Refused(NOTE, str(error)), context)
        except Exception as error:
            self._say(f"failed: {type(error).__name__}: {error}")
            return encode(Message("refused", {"code": "failed", "text": f"{type(error).__name__}: {error}"[:4000]}))

    def _refuse(self, error: Refused, context: grpc.ServicerContext) -> bytes:
        peer = context.peer()
        self._strangers.heard(peer)
        who = "one of this host (unix)" if _is_local(context) else peer
        self._tell_once((peer, error.code), f"refused {who}: {error.summary}")
        return encode(Message("refused", {"code": error.code, "text": error.summary}))

    def _tell_once(self, what: object, line: str) -> None:
        """Log it, unless the same was logged for the same peer: a stranger must not fill the log."""
        if len(self._told) < 1000 and what not in self._told:
            self._told.add(what)
            self._say(line)

    def _tell_of_stranger(self, host: str, what: str) -> None:
        """One line for a host that gRPC has rejected."""
        self._tell_once(("stranger", host), f"turned {host} away: {what}")

    def close(self, grace: float = 1.0) -> None:
        """Take no more requests; those under way have `grace` seconds."""
        self._strangers.close()
        self._server.stop(grace).wait()
        self._strangers.judge_rest()


class Connection:
    """The connection to one server: its Unix socket on this host (local.py), or its port. Threads may share it."""

    def __init__(self, endpoint: str):
        self.endpoint = endpoint
        self._credentials = tls.of_trainer()
        self._path = local.socket_of(endpoint) if self._credentials is None else None
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._told = False
        self._local = self._socket_failed = False
        self._areas: Areas | None = Areas()
        self._open()

    def _open(self) -> None:
        """Use the socket, unless there is none or no server behind it: then the port."""
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
        self._local = not self._socket_failed and self._has_socket()
        if self._credentials is not None:
            self._channel = grpc.secure_channel(self.endpoint, self._credentials, options=options)
        else:
            self._channel = grpc.insecure_channel(f"unix:{self._path}" if self._local else self.endpoint, options)
        self._call = self._channel.unary_unary(_CALL)
        self._knock = self._channel.unary_unary(_KNOCK)

    def _has_socket(self) -> bool:
        return self._path is not None and self._path.exists()

    def _take_socket(self) -> None:
        """Switch to the socket, if the server has been started on this host since the port was chosen."""
        with self._lock:
            if not (self._local or self._socket_failed or self._closed.is_set()) and self._has_socket():
                self._channel.close()
                self._open()

    def _turn(self, channel: grpc.Channel) -> None:
        """After a failure: the other transport, if there is one."""
        with self._lock:
            if channel is not self._channel or self._closed.is_set():
                return
            self._socket_failed = self._local
            if self._local or self._has_socket():
                self._channel.close()
                self._open()

    def call(self, message: Message, seconds: float, attempt: float | None = None) -> Message:
        """The answer to `message`.

        While the server is unreachable the message is sent again, for `seconds`. A reachable server may take
        `attempt` seconds, or unlimited time (None: keepalive detects a dead server).
        """
        first = time.monotonic()
        end = first + seconds
        while True:
            if "session" not in message.fields:
                self._take_socket()
            began, channel = time.monotonic(), self._channel
            try:
                answer = self._exchanged(message, attempt)
            except (grpc.RpcError, ValueError) as error:
                if attempt is None and time.monotonic() - began > _WAS_THERE:
                    end = time.monotonic() + seconds
                if time.monotonic() >= end or self._closed.is_set() or not _passes(error, channel is self._channel):
                    raise self._unreachable(message, error) from None
                self._look_around(message, first)
                self._turn(channel)
                self._closed.wait(_PAUSE)
                continue
            if answer.kind != "refused":
                return answer
            if answer.fields.get("code") != NOTE:
                raise Refused(str(answer.fields.get("code")), str(answer.fields.get("text")))
            self._areas = None  # the server cannot reach this process's memory, though it is on this host

    def _exchanged(self, message: Message, attempt: float | None) -> Message:
        areas = self._areas if self._local and "session" in message.fields else None
        if areas is None:
            return decode(self._sent(message, encode(message), attempt))
        parcel = areas.packed(message)
        return areas.opened(parcel, self._sent(message, parcel.data, attempt))

    def _sent(self, message: Message, data: bytes, attempt: float | None) -> bytes:
        session = message.fields.get("session")
        if session is None:
            return self._knock(b"", timeout=attempt, metadata=((_MESSAGE, data),))
        who = ((_TRAINER, str(message.fields["trainer"])), (_SESSION, session))
        if len(data) <= _SMALL:
            return self._call(b"", timeout=attempt, metadata=(*who, (_MESSAGE, data)))
        return self._call(data, timeout=attempt, metadata=who)

    def _look_around(self, message: Message, first: float) -> None:
        """Log which server a trainer waits for; give up on a host whose name cannot be resolved."""
        waited = time.monotonic() - first
        if waited > _TELL_AFTER and not self._told:
            self._told = True
            sys.stderr.write(f"waits for the server at {self.endpoint} ({message.kind})\n")
            sys.stderr.flush()
        if waited > _RESOLVING:
            host, _, port = self.endpoint.rpartition(":")
            try:
                socket.getaddrinfo(host.strip("[]"), int(port))
            except OSError as error:
                raise Unreachable(f"the server at {self.endpoint} cannot be found: {error.strerror}") from None

    def _unreachable(self, message: Message, error: Exception) -> Unreachable:
        why = error.details() if isinstance(error, grpc.Call) else str(error)
        return Unreachable(f"the server at {self.endpoint} does not answer ({message.kind}): {why}")

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            self._channel.close()


def _is_local(context: grpc.ServicerContext) -> bool:
    """Whether a request has come by the Unix socket."""
    return not context.peer() or context.peer().startswith("unix")


def _passes(error: Any, same_channel: bool) -> bool:
    """Whether a failure may be transient."""
    if isinstance(error, ValueError):  # of a closed channel, perhaps by another thread that switches the transport
        return not same_channel
    return error.code() in (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.UNKNOWN,
    ) or "Concurrent RPC limit" in str(error.details())
