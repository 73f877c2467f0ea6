"""Data parallel training in the imperative mode, as one process sees it: there is nobody to share gradients with."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.environment import ParallelEnv
from refluid.nn.layer import Layer


class ParallelStrategy:
    """What prepare_context finds out and DataParallel goes by."""

    def __init__(self, env: ParallelEnv | None = None) -> None:
        self.nranks = 1 if env is None else env.nranks
        self.local_rank = 0 if env is None else env.local_rank
        self.trainer_endpoints: list[str] = [] if env is None else env.trainer_endpoints
        self.current_endpoint = "" if env is None else env.current_endpoint


def prepare_context(strategy: ParallelStrategy | None = None) -> ParallelStrategy:
    """Get ready to train together with other processes.

    Args:
        strategy: who takes part; what the environment tells if None.
    Returns:
        The strategy, for DataParallel. (1.8.5 gives None to a single process, and DataParallel then fails.)
    """
    found = ParallelStrategy(ParallelEnv()) if strategy is None else strategy
    return _of_one_process("prepare_context", found)


class DataParallel(Layer):
    """A model that is trained by several processes, each on its own data.

    Args:
        layers: the model. Its names in state dictionaries are those that it has by itself.
        strategy: what prepare_context gave.
    """

    def __init__(self, layers: Layer, strategy: ParallelStrategy | None = None):
        if not isinstance(layers, Layer):
            raise ArgumentError(f"DataParallel: layers must be a Layer, got {type(layers).__name__}")
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers
        self._strategy = _of_one_process("DataParallel", ParallelStrategy() if strategy is None else strategy)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: Any) -> Any:
        """The loss over the number of processes, so that gradients add up to their mean."""
        return loss

    def apply_collective_grads(self) -> None:
        """Add up the gradients of all processes; those of the only one are the sum already."""

    def state_dict(
        self, destination: Any = None, include_sublayers: bool = True, structured_name_prefix: str = ""
    ) -> Any:
        """What the model itself gives, so that it may be loaded with or without DataParallel."""
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_dict(self, stat_dict: Any, include_sublayers: bool = True, use_structured_name: bool = True) -> None:
        self._layers.set_dict(stat_dict, include_sublayers, use_structured_name)

    load_dict = set_dict
    set_state_dict = set_dict


def _of_one_process(what: str, strategy: ParallelStrategy) -> ParallelStrategy:
    if strategy.nranks > 1:
        raise EnforceNotMet(
            f"{what}: {strategy.nranks} processes are to train together (PADDLE_TRAINERS_NUM), but training with more "
            "than one process is not there yet; start the program as one process"
        )
    return strategy
