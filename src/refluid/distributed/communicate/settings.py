"""FLAGS_communicator_*: how a Communicator merges steps, and how often it fetches parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from refluid.core.errors import ArgumentError

_WAIT = 0.01  # seconds that one of send_wait_times lasts


@dataclass
class Settings:
    """Steps are counted in batches that a thread has computed; CPU_NUM is how many threads there are."""

    max_merge_var_num: int  # steps that one exchange may cover
    send_queue_size: int  # steps that may wait; with more of them the program waits
    independent_recv_thread: bool  # parameters come by a thread of their own, not with the answer to an exchange
    min_send_grad_num_before_recv: int  # which fetches them when more than so many steps were sent
    thread_pool_size: int  # servers that are called at a time
    send_wait_times: int  # how long an exchange waits for another step to cover, in hundredths of a second
    is_sgd_optimizer: bool  # gradients of several steps are summed; other optimizers take their mean

    @property
    def wait_for_more(self) -> float:
        return _WAIT * self.send_wait_times

    @classmethod
    def of(cls, arguments: Mapping[str, str]) -> Settings:
        """The arguments of the Communicator, else the environment, else Fluid's defaults."""
        threads = os.environ.get("CPU_NUM") or "1"

        def number(name: str, default: str, least: int) -> int:
            full = f"communicator_{name}"
            text = arguments.get(full) or os.environ.get(f"FLAGS_{full}") or default
            try:
                value = int(text)
            except ValueError:
                value = least - 1
            if value < least:
                raise ArgumentError(f"Communicator: {full} must be a number of {least} at least, got {text!r}")
            return value

        return cls(
            max_merge_var_num=number("max_merge_var_num", threads, 1),
            send_queue_size=number("send_queue_size", threads, 1),
            independent_recv_thread=bool(number("independent_recv_thread", "1", 0)),
            min_send_grad_num_before_recv=number("min_send_grad_num_before_recv", threads, 0),
            thread_pool_size=number("thread_pool_size", "5", 1),
            send_wait_times=number("send_wait_times", "5", 0),
            is_sgd_optimizer=bool(number("is_sgd_optimizer", "1", 0)),
        )
