"""Layers of layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.core.generations import generations, older
from refluid.ir.base_variable import BaseVariable
from refluid.nn.generations import in_scope, name_scope_first
from refluid.nn.layer import Layer, check_layer

if TYPE_CHECKING:
    from refluid.layers.control_flow.nest import Structure


class Sequential(Layer):
    """Calls layers one after the other: Sequential(a, b) or Sequential(("first", a), ("second", b)).

    Args:
        layers: the layers, or pairs of a name and a layer.

    Example:
        >>> with fluid.dygraph.guard():
        ...     model = fluid.dygraph.Sequential(fluid.dygraph.Linear(4, 8, act="relu"), fluid.dygraph.Linear(8, 2))
        ...     model(fluid.dygraph.to_variable(np.ones((3, 4), "float32"))).shape
        [3, 2]
    """

    @generations
    def __init__(self, *layers: Layer | tuple[str, Layer]):
        super().__init__()
        self._add_all(layers)

    @older(__init__, before="1.7", when=name_scope_first)
    def _init_1_5(self, name_scope: str, *layers: Layer | tuple[str, Layer]) -> None:
        super().__init__(in_scope(name_scope, self))
        self._add_all(layers)

    def _add_all(self, layers: Iterable[Any]) -> None:
        for i, layer in enumerate(layers):
            pair = isinstance(layer, list | tuple) and len(layer) == 2
            name, sublayer = layer if pair else (str(i), layer)
            self.add_sublayer(str(name), sublayer)

    def __getitem__(self, name: int | str | slice) -> Layer:
        if isinstance(name, slice):
            return type(self)(*list(self._sub_layers.values())[name])
        return list(self._sub_layers.values())[name] if isinstance(name, int) else self._sub_layers[str(name)]

    def __setitem__(self, name: int | str | slice, layer: Layer) -> None:
        self.add_sublayer(list(self._sub_layers)[name] if isinstance(name, int) else str(name), layer)

    def __delitem__(self, name: int | str | slice) -> None:
        del self._sub_layers[list(self._sub_layers)[name] if isinstance(name, int) else str(name)]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def forward(self, input: BaseVariable) -> Structure:
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


class LayerList(Layer):
    """A list of layers that `parameters()` and `sublayers()` of its owner find.

    Args:
        sublayers: the layers.
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None):
        super().__init__()
        self.extend(sublayers or [])

    def __getitem__(self, index: int | slice) -> Structure:
        layers = list(self._sub_layers.values())
        return type(self)(layers[index]) if isinstance(index, slice) else layers[index]

    def __setitem__(self, index: int, layer: Layer) -> None:
        self.add_sublayer(str(range(len(self))[index]), layer)

    def __delitem__(self, index: int | slice) -> None:
        layers = list(self._sub_layers.values())
        del layers[index]
        self._refill(layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._sub_layers.values())

    def append(self, sublayer: Layer) -> LayerList:
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        layers = list(self._sub_layers.values())
        if not isinstance(index, int) or not 0 <= index < max(len(layers), 1):
            raise ArgumentError(f"LayerList.insert: index must be 0 to {len(layers) - 1}, got {index!r}")
        check_layer("LayerList.insert: what is inserted", sublayer)
        layers.insert(index, sublayer)
        self._refill(layers)

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        if not isinstance(sublayers, Iterable):
            raise ArgumentError(f"LayerList: expected a list of layers, got {type(sublayers).__name__}")
        sublayers = list(sublayers)
        for layer in sublayers:
            check_layer("LayerList: what it holds", layer)
        for layer in sublayers:
            self.append(layer)
        return self

    def _refill(self, layers: list[Layer]) -> None:
        self._sub_layers.clear()
        self.extend(layers)


class ParameterList(Layer):
    """A list of parameters that `parameters()` of its owner finds.

    Args:
        parameters: the parameters.
    """

    def __init__(self, parameters: Iterable[BaseVariable] | None = None):
        super().__init__()
        for parameter in parameters or []:
            self.append(parameter)

    def __getitem__(self, index: int) -> BaseVariable:
        return list(self._parameters.values())[index]

    def __setitem__(self, index: int, parameter: BaseVariable) -> None:
        self.add_parameter(str(range(len(self))[index]), parameter)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[BaseVariable]:
        return iter(self._parameters.values())

    def append(self, parameter: BaseVariable) -> ParameterList:
        self.add_parameter(str(len(self)), parameter)
        return self
