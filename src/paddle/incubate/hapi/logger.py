"""paddle.incubate.hapi.logger: a logger for training scripts."""

from refluid.hapi.logger import setup_logger as setup_logger

__all__ = ["setup_logger"]
