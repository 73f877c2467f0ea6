"""Messages that are nearly right, and some that are not: a server must answer or refuse each, and go on.

    python -m tests.distributed.server.fuzzing 10000 --seed 1

trains with one trainer while a stranger, and then a member that has gone mad, send `count` messages.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import threading
import time
from typing import Any

import grpc
import torch

import paddle.fluid as fluid
from refluid.distributed.server.serve import serve
from refluid.distributed.server.trainer import Trainer
from refluid.distributed.server.wire import Message, decode, encode
from refluid.tensor.scope import Scope
from tests.distributed.ranks import TIMEOUT, free_ports
from tests.distributed.server.programs import server_program

_KINDS = ("hello", "join", "enter", "beat", "push", "pull", "rows", "piece", "leave", "save", "nothing", "")
_FIELDS = (
    "trainer", "session", "step", "first", "wanted", "number", "proof", "job", "incarnation", "name", "last",
    "received", "trainers",
)  # fmt: skip


def strange(chance: random.Random, depth: int = 0) -> Any:
    """A value that JSON can hold."""
    made = [
        None, True, -1, 0, 1, 2**31, -(2**63), 2**70, 1.5, float("inf"), float("nan"), "", "w", "../../etc/passwd",
        "\0", "w@GRAD.trainer_0", "x" * chance.randrange(300), chance.randrange(100),
    ]  # fmt: skip
    if depth < 3:
        made += [[strange(chance, depth + 1) for _ in range(chance.randrange(4))]]
        made += [{chance.choice(_FIELDS): strange(chance, depth + 1) for _ in range(chance.randrange(4))}]
    return chance.choice(made)


def message(chance: random.Random, session: str | None) -> bytes:
    """Bytes that a mad trainer may send; with the session of a member they come further."""
    fields = {name: strange(chance) for name in chance.sample(_FIELDS, chance.randrange(6))}
    if session is not None:
        fields |= {"trainer": 1, "session": session} if chance.random() < 0.9 else {}
        fields |= {"step": chance.randrange(5)} if chance.random() < 0.5 else {}
        fields |= {"wanted": chance.choice([[], ["w"], ["w", "none"], "w", [1]])} if chance.random() < 0.5 else {}
    kind = chance.choice(_KINDS[:-3] if session is None else [k for k in _KINDS if k != "leave"])
    names = [chance.choice(["w@GRAD.trainer_1", "w", "other", ""]) for _ in range(chance.randrange(3))]
    shapes = ([2], [0], [], [3, 3], [1, 2])
    values = {
        name: torch.zeros(chance.choice(shapes), dtype=chance.choice([torch.float32, torch.int64])) for name in names
    }
    data = encode(Message(kind, {}, values))
    header = json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")])
    body = data[8 + int.from_bytes(data[4:8], "little") :]
    header["fields"] = fields
    if chance.random() < 0.3:
        header[chance.choice(["kind", "fields", "values"])] = strange(chance)
    packed = json.dumps(header).encode()
    data = data[:4] + len(packed).to_bytes(4, "little") + packed + body
    return damaged(data, chance) if chance.random() < 0.5 else data


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, or the message cut or lengthened."""
    made = bytearray(data)
    for _ in range(chance.randrange(1, 5)):
        made[chance.randrange(len(made))] = chance.randrange(256)
    return bytes(chance.choice([made, made[: chance.randrange(len(made) + 1)], made + b"\xff" * chance.randrange(50)]))


class Victim:
    """A server in a thread, and trainer 0, which trains on."""

    def __init__(self) -> None:
        self.endpoint = f"127.0.0.1:{free_ports(1)[0]}"
        self.scope = Scope()
        self.failure: BaseException | None = None
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        try:
            startup, main = server_program(self.endpoint, 2, {"w": [2]}, -1.0)
            fluid.Executor(fluid.CPUPlace()).run(startup, scope=self.scope)
            serve(main.global_block().ops[-1], self.scope)
        except BaseException as error:
            self.failure = error


def attack(victim: Victim, count: int, seed: int, session: str | None) -> dict[str, int]:
    """Send `count` messages; how many of each answer came."""
    chance, answers = random.Random(seed), {}
    who = (("refluid-trainer", "1"), ("refluid-session", session or "guessed"))
    with grpc.insecure_channel(victim.endpoint) as channel:
        call, knock = (channel.unary_unary(f"/refluid.Server/{name}") for name in ("Call", "Knock"))
        for _ in range(count):
            data = message(chance, session)
            try:
                if session is not None or chance.random() < 0.3:
                    answer = decode(call(data, metadata=who, timeout=0.1))
                else:
                    answer = decode(knock(b"", metadata=(("refluid-message-bin", data),), timeout=60))
                got = str(answer.fields.get("code")) if answer.kind == "refused" else answer.kind
            except grpc.RpcError as error:  # a request that waits for other trainers has no answer for a long time
                got = error.code().name
            answers[got] = answers.get(got, 0) + 1
    return answers


def run(count: int, seed: int) -> str:
    """Attack and look whether training goes on; what was answered, in words."""
    victim = Victim()
    mad = Trainer.__new__(Trainer)
    joining = threading.Thread(target=lambda: mad.__init__(1, (victim.endpoint,)))
    joining.start()
    trainer = Trainer(0, (victim.endpoint,))
    joining.join(TIMEOUT)
    began = time.monotonic()
    told = attack(victim, count // 2, seed, None)
    known = mad._peers[victim.endpoint].session
    of_member = attack(victim, count - count // 2, seed + 1, known)
    took = time.monotonic() - began
    pushes = [threading.Thread(target=_step, args=(one, i, victim.endpoint)) for i, one in enumerate((trainer, mad))]
    for push in pushes:
        push.start()
    for push in pushes:
        push.join(TIMEOUT)
        assert not push.is_alive(), "training does not go on"
    trainer.leave()
    mad.leave()
    victim.thread.join(TIMEOUT)
    assert not victim.thread.is_alive(), "the server does not end"
    assert victim.failure is None, victim.failure
    return f"{count} messages in {took:.0f} s; answers to a stranger {told}, to a member {of_member}"


def _step(trainer: Trainer, number: int, endpoint: str) -> None:
    before = trainer.acknowledged
    while trainer.acknowledged == before:  # what the mad one has sent may have ended a round
        trainer.gather(endpoint, f"w@GRAD.trainer_{number}", torch.ones(2))
        trainer.exchange()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(run(given.count, given.seed))
    sys.exit(0)
