"""paddle.fluid.contrib.slim.nas: architectures by search."""

from paddle.fluid.contrib.slim.nas import (
    controller_server as controller_server,
    light_nas_strategy as light_nas_strategy,
    search_agent as search_agent,
    search_space as search_space,
)
from refluid.contrib.slim.nas.controller_server import ControllerServer as ControllerServer
from refluid.contrib.slim.nas.light_nas import LightNASStrategy as LightNASStrategy
from refluid.contrib.slim.nas.lock import lock as lock, unlock as unlock
from refluid.contrib.slim.nas.search_agent import SearchAgent as SearchAgent
from refluid.contrib.slim.nas.search_space import SearchSpace as SearchSpace

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
