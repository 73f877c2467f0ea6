"""paddle.incubate.hapi: models that train themselves."""

from paddle.incubate.hapi import (
    callbacks as callbacks,
    datasets as datasets,
    distributed as distributed,
    download as download,
    logger as logger,
    loss as loss,
    metrics as metrics,
    model as model,
    progressbar as progressbar,
    text as text,
    vision as vision,
)
from refluid.hapi.inputs import Input as Input, set_device as set_device
from refluid.hapi.model import Model as Model

__all__ = [
    "callbacks", "datasets", "distributed", "download", "logger", "loss", "metrics", "model", "progressbar", "text",
    "vision", "Input", "Model", "set_device",
]  # fmt: skip
