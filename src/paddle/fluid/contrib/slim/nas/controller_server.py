"""paddle.fluid.contrib.slim.nas.controller_server: proposes tokens over sockets."""

from refluid.contrib.slim.nas.controller_server import ControllerServer as ControllerServer
