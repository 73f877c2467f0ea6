"""Loggers that leave the root logger alone, whose settings are the program's own."""

from __future__ import annotations

import logging


def get_logger(name: str, level: int | str, fmt: str | None = None) -> logging.Logger:
    """The logger of this name, which writes to stderr in this format and passes nothing on to the root logger."""
    logger = logging.getLogger(name)
    logger.setLevel(level)
    handler = logging.StreamHandler()
    if fmt:
        handler.setFormatter(logging.Formatter(fmt=fmt))
    logger.addHandler(handler)
    logger.propagate = False
    return logger
