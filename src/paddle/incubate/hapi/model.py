"""paddle.incubate.hapi.model: the model and what it is fed with."""

from refluid.hapi.inputs import Input as Input, set_device as set_device
from refluid.hapi.model import Model as Model

__all__ = ["Model", "Input", "set_device"]
