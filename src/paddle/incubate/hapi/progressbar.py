"""paddle.incubate.hapi.progressbar: how far an epoch is."""

from refluid.hapi.progressbar import ProgressBar as ProgressBar

__all__ = ["ProgressBar"]
