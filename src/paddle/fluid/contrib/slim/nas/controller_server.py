"""paddle.fluid.contrib.slim.nas.controller_server: proposes tokens over sockets."""

from refluid.contrib.slim.nas.controller_server import ControllerServer as ControllerServer

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
