"""A logger for training scripts."""

from __future__ import annotations

import logging
import os
import sys

from refluid.distributed.environment import ParallelEnv

_FORMAT = "%(asctime)-15s %(levelname)s: %(message)s"
_MINE = "refluid.hapi"


def setup_logger(output: str | None = None, name: str = _MINE, log_level: int = logging.INFO) -> logging.Logger:
    """The logger of this name, writing to standard output and, if given, to a file.

    Args:
        output: a file (*.txt, *.log), or a folder in which log.txt is written; it is made if need be. Each process of
            a training but the first (PADDLE_TRAINER_ID) writes to a file of its own and not to standard output.
    """
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(log_level)
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    rank = ParallelEnv().local_rank
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stdout)] if rank == 0 else []
    if output is not None:
        path = output if output.endswith((".txt", ".log")) else os.path.join(output, "log.txt")
        path = path if rank == 0 else f"{path}.rank{rank}"
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        handlers.append(logging.FileHandler(path, encoding="utf-8"))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
        logger.addHandler(handler)
    return logger
