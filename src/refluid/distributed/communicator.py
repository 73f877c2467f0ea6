"""Communicator: exchanges with parameter servers in threads beside a trainer's program."""

from __future__ import annotations

import os
from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.core.warn import warn_once
from refluid.distributed.communicate import running
from refluid.distributed.communicate.settings import Settings
from refluid.distributed.server import emit as emit  # registers the operators
from refluid.distributed.server.job_facts import endpoints_of, trainer_id_of
from refluid.distributed.transpile.config import DistributedMode
from refluid.ir.program import Program
from refluid.tensor.scope import global_scope

_MODES = (DistributedMode.SYNC, DistributedMode.ASYNC, DistributedMode.HALF_ASYNC, DistributedMode.GEO)


class Communicator:
    """Exchanges gradients and parameters of a transpiled program with its servers, in place of send and recv.

    It goes with programs of config.runtime_split_send_recv=True and with those of GeoSgdTranspiler.

    Args:
        program: the trainer's, as transpiled.
        mode: a DistributedMode. ASYNC exchanges in a thread of its own while the program goes on; HALF_ASYNC and SYNC
            exchange at the end of every step; GEO sends parameter deltas every few steps.
        kwargs: of GEO push_vars (`GeoSgdTranspiler._get_vars_info()`), trainers and push_nums; in all modes
            trainer_id and pserver_endpoints, where the program does not say.
        envs: settings as communicator_max_merge_var_num, each a str; those not given come from FLAGS_communicator_*.

    Example:
        communicator = fluid.Communicator(trainer_program, DistributedMode.ASYNC)
        communicator.start()
        ...  # run the program, step by step
        communicator.stop()
    """

    def __init__(
        self,
        program: Program,
        mode: object = None,
        kwargs: dict[str, Any] | None = None,
        envs: dict[str, str] | None = None,
    ):
        if not isinstance(program, Program):
            raise ArgumentError(f"Communicator: program must be a Program, got {type(program).__name__}")
        if mode not in (*_MODES, None):
            raise ArgumentError(f"Communicator: mode must be one of DistributedMode, got {mode!r}")
        self.program = program
        self.mode = DistributedMode.ASYNC if mode is None else mode
        self._about = dict(kwargs or {})
        self._settings = Settings.of(envs or {})
        self._scope = global_scope()
        if self.mode == DistributedMode.GEO:
            lacks = [name for name in ("push_vars", "trainers", "push_nums") if name not in self._about]
            if lacks:
                raise ArgumentError(f"Communicator: in mode GEO kwargs must have {', '.join(lacks)}")
        self._exchanger: running.Exchanger | None = None
        self._started = False

    def start(self) -> None:
        """Begin to exchange; it may be called before or after the startup program has run."""
        if self._started:
            warn_once("Communicator.start: it is running already")
            return
        other = running.running()
        if other is not None:
            raise EnforceNotMet("Communicator.start: another Communicator is running in this process; stop it first")
        self._exchanger = self._made()
        self._started = True
        if self._exchanger is not None:
            self._let_receive(False)
            running.run(self._exchanger)

    def stop(self) -> None:
        """Exchange what is left, and end; from now on the program's own operators send and receive."""
        if not self._started:
            warn_once("Communicator.stop: it is not running")
            return
        self._started = False
        exchanger, self._exchanger = self._exchanger, None
        if exchanger is not None:
            running.end(exchanger)
            self._let_receive(True)
            exchanger.finish()

    def is_running(self) -> bool:
        return self._started

    def _let_receive(self, does: bool) -> None:
        for op in self.program.global_block().ops:
            if op.type == "recv":
                op._set_attr("do_not_run", not does)

    def _made(self) -> running.Exchanger | None:
        """The object that exchanges; None for a program that has nothing to exchange."""
        endpoints = self._endpoints()
        if not endpoints:
            return None
        # gRPC is imported when a process calls servers, not by `import paddle`.
        from refluid.distributed.communicate.by_step import ByStep
        from refluid.distributed.communicate.geo import Geo, Moving
        from refluid.distributed.communicate.queued import Queued
        from refluid.distributed.communicate.received import Received
        from refluid.distributed.server.trainer import trainer_of

        trainer = trainer_of(self._trainer_id(), endpoints)
        trainer.at_a_time = self._settings.thread_pool_size
        exchanger: running.Exchanger
        if self.mode == DistributedMode.GEO:
            parameters = [Moving.of(name, told) for name, told in self._about["push_vars"].items()]
            trainers, push_nums = int(self._about["trainers"]), int(self._about["push_nums"])
            exchanger = Geo(trainer, parameters, trainers, push_nums, self._scope)
        else:
            kind = Queued if self.mode == DistributedMode.ASYNC else ByStep
            exchanger = kind(trainer, Received(self.program, self._scope), self._settings)
        trainer.before_leaving.append(self._stop_before_leaving)
        return exchanger

    def _stop_before_leaving(self) -> None:
        if self._started:
            self.stop()

    def _endpoints(self) -> tuple[str, ...]:
        """All servers: those of the program, or those that kwargs name."""
        found: list[str] = list(self.program._endpoints or self._about.get("pserver_endpoints") or ())
        for told in self._about.get("push_vars", {}).values():
            found += told["epmap"]
        return tuple(sorted({*found, *endpoints_of(self.program)}))

    def _trainer_id(self) -> int:
        given = self._about.get("trainer_id")
        if given is not None:
            return int(given)
        return trainer_id_of(self.program) or int(os.environ.get("PADDLE_TRAINER_ID") or 0)
