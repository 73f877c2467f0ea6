"""Data parallel training in the imperative mode: every process computes on its own data, gradients are summed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from refluid.core.errors import ArgumentError
from refluid.distributed import ring as rings
from refluid.distributed.agreement import Agreement
from refluid.distributed.buckets import BYTES, Bucket, Layout, grouped
from refluid.distributed.environment import ParallelEnv, check_rank
from refluid.distributed.reducer import Reducer
from refluid.distributed.ring import Ring
from refluid.distributed.world import join
from refluid.eager.variable import VarBase
from refluid.nn import layer as layers
from refluid.nn.layer import Layer

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable
    from refluid.layers.control_flow.nest import Structure


class ParallelStrategy:
    """The result of prepare_context and the settings of DataParallel."""

    def __init__(self, env: ParallelEnv | None = None) -> None:
        self.nranks = 1 if env is None else env.nranks
        self.local_rank = 0 if env is None else env.local_rank
        self.trainer_endpoints: list[str] = [] if env is None else env.trainer_endpoints
        self.current_endpoint = "" if env is None else env.current_endpoint


def prepare_context(strategy: ParallelStrategy | None = None) -> ParallelStrategy:
    """Meet the processes that train together with this one.

    Args:
        strategy: who takes part; what the environment tells if None.
    Returns:
        The strategy, for DataParallel. (1.8.5 gives None to a single process, and DataParallel then fails.)
    Example:
        >>> with fluid.dygraph.guard():
        ...     fluid.dygraph.parallel.prepare_context().nranks  # a process that no launcher has started is alone
        1
    """
    chosen = ParallelStrategy(ParallelEnv()) if strategy is None else strategy
    if chosen.nranks > 1:
        _ring_of("prepare_context", chosen)
    return chosen


def _ring_of(what: str, strategy: ParallelStrategy) -> Ring:
    """The ring of all ranks; it is ring 0 of this process from then on."""
    check_rank(what, strategy.local_rank, strategy.nranks)
    endpoints = [endpoint for endpoint in strategy.trainer_endpoints if endpoint]
    if len(endpoints) != strategy.nranks:
        raise ArgumentError(
            f"{what}: {strategy.nranks} processes are to train together (PADDLE_TRAINERS_NUM), but there are "
            f"{len(endpoints)} endpoints (PADDLE_TRAINER_ENDPOINTS): {', '.join(endpoints) or 'none'}"
        )
    world = join(what, strategy.local_rank, endpoints, strategy.current_endpoint)
    known = rings.find(0)
    if known is None or known.world is not world:
        known = rings.register(Ring(world))
    return known


class DataParallel(Layer):
    """A model that is trained by several processes, each on its own data.

    Args:
        layers: the model. Its names in state dictionaries are those that it has by itself.
        strategy: what prepare_context gave.
    Example:
        >>> with fluid.dygraph.guard():  # in every process that paddle.distributed.launch starts
        ...     strategy = fluid.dygraph.prepare_context()
        ...     model = fluid.dygraph.DataParallel(fluid.dygraph.Linear(3, 1), strategy)
        ...     optimizer = fluid.optimizer.SGD(0.1, parameter_list=model.parameters())
        ...     x = fluid.dygraph.to_variable(np.ones([4, 3], "float32"))
        ...     loss = model.scale_loss(fluid.layers.mean(model(x)))
        ...     loss.backward()
        ...     model.apply_collective_grads()
        ...     updates, pairs = optimizer.minimize(loss)
        ...     [grad.shape for param, grad in pairs]
        [[3, 1], [1]]
    """

    def __init__(self, layers: Layer, strategy: ParallelStrategy | None = None):
        if not isinstance(layers, Layer):
            raise ArgumentError(f"DataParallel: layers must be a Layer, got {type(layers).__name__}")
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers
        self._strategy = ParallelStrategy() if strategy is None else strategy
        self._ring = _ring_of("DataParallel", self._strategy) if self._strategy.nranks > 1 else None
        self._reducer: Reducer | None = None
        self._is_alike = self._ring is None  # whether this rank's values are those of rank 0

    def forward(self, *inputs: object, **kwargs: object) -> Structure:
        if self._is_alike:
            return self._layers(*inputs, **kwargs)
        self._take_values(self._layers.state_dict().items())
        with _built_layers(self._take_late_values):
            outputs = self._layers(*inputs, **kwargs)
        self._is_alike = True
        return outputs

    def _take_late_values(self, built: Layer) -> None:
        """Values of a layer that learns its sizes from its first input."""
        own = [*built._parameters.items(), *built._buffers.items()]
        self._take_values([(f"{built.full_name()}.{name}", value) for name, value in own])

    def _take_values(self, named: Iterable[tuple[str, Any]]) -> None:
        """Take the values of rank 0, after all ranks have compared their parameters."""
        assert self._ring is not None
        pairs = [(name, value._t) for name, value in named if isinstance(value, VarBase)]
        lines = [f"{name} {str(t.dtype).removeprefix('torch.')} {list(t.shape)}" for name, t in pairs]
        Agreement("the parameters of DataParallel", lines).settle(self._ring)
        broadcast(self._ring, [t for _, t in pairs])

    # -- a step -------------------------------------------------------------------------------------------------

    def scale_loss(self, loss: VarBase) -> BaseVariable:
        """The loss over the number of processes, so that gradients add up to their mean.

        Gradients of its backward pass are summed while that runs.
        """
        if self._ring is None:
            return loss
        scaled = loss / float(self._strategy.nranks)
        scaled._watch = self._gradients()
        return scaled

    def apply_collective_grads(self) -> None:
        """Every gradient becomes the sum over all processes. A gradient that no process has stays None."""
        if self._ring is not None:
            self._gradients().finish()

    def _gradients(self) -> Reducer:
        assert self._ring is not None
        trained = [param for param in self._layers.parameters() if not param.stop_gradient]
        if self._reducer is None or not self._reducer.serves(trained):
            self._reducer = Reducer(self._ring, trained)
        return self._reducer

    # -- state --------------------------------------------------------------------------------------------------

    def state_dict(
        self,
        destination: dict[str, Any] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
    ) -> dict[str, Any]:
        """What the model itself gives, so that it may be loaded with or without DataParallel."""
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_dict(
        self, stat_dict: dict[str, Any], include_sublayers: bool = True, use_structured_name: bool = True
    ) -> None:
        self._layers.set_dict(stat_dict, include_sublayers, use_structured_name)

    load_dict = set_dict
    set_state_dict = set_dict


def broadcast(ring: Ring, values: list[torch.Tensor], root: int = 0) -> None:
    """Every tensor becomes that of rank `root`, in place; ranks must have agreed on what they are."""
    layouts = [Layout.of(value) for value in values]
    for group in grouped(layouts, BYTES):
        bucket = Bucket([layouts[i] for i in group])
        for number, i in enumerate(group):
            bucket.put(number, values[i])
        ring.broadcast(bucket.flat, root, agreed=True).wait()
        for view, i in zip(bucket.views, group, strict=True):
            values[i].copy_(view)


@contextlib.contextmanager
def _built_layers(tell: Callable[[Layer], None]) -> Iterator[None]:
    """Register the layers built inside before they compute."""
    old, layers.on_built = layers.on_built, tell
    try:
        yield
    finally:
        layers.on_built = old
