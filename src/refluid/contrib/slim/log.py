"""Where slim tells what it does: on stderr, as `logging` has it."""

from __future__ import annotations

import logging


def get_logger(name: str) -> logging.Logger:
    """The logger of a module; it writes lines with their time."""
    logger = logging.getLogger(name)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s-%(levelname)s: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    return logger
