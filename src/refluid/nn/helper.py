"""What Layer classes that programs write after Fluid's own are made with: `self._helper` of a layer."""

from __future__ import annotations

from refluid.ir.base_variable import BaseVariable
from refluid.layers.common import Activation, activate
from refluid.layers.helper import LayerHelper


class LayerObjectHelper(LayerHelper):
    """Creates variables and appends operators that are named after a layer. The layer keeps its own parameters."""

    def __init__(self, name: str):
        super().__init__(name, name=name)

    def append_activation(
        self,
        input_var: BaseVariable,
        act: Activation = None,
        use_cudnn: bool | None = None,
        use_mkl_dnn: bool | None = None,
    ) -> BaseVariable:
        """The activation `act` of input_var; itself if there is none. Which library computes it is not asked."""
        return activate(input_var, act, self._layer)
