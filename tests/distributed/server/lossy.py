"""Connections whose answers get lost or come late, so that requests are repeated which the server has handled."""

from __future__ import annotations

import random
import time

import grpc

from refluid.distributed.server.transport import Connection


@grpc.Call.register  # as the errors of gRPC itself are
class Lost(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return "lost"


def lossy(chance: random.Random, losing: float = 0.1, delaying: float = 0.0) -> type[Connection]:
    """`losing` and `delaying` are how likely it is for an answer to get lost, and to come late."""

    class Lossy(Connection):
        def _sent(self, *request: object) -> bytes:
            answer = super()._sent(*request)
            if chance.random() < delaying:
                time.sleep(chance.random())
            if chance.random() < losing:
                raise Lost
            return answer

    return Lossy
