"""Where slim tells what it does: lines with their time, on stderr."""

from __future__ import annotations

import logging

from refluid.core.logs import get_logger


def logger_of(module: str) -> logging.Logger:
    return get_logger(module, logging.INFO, fmt="%(asctime)s-%(levelname)s: %(message)s")
