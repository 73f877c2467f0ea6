"""ParamBase: a variable of the imperative mode that training changes."""

from __future__ import annotations

from typing import Any

import torch

from refluid.eager.variable import VarBase


class ParamBase(VarBase):
    """A named, persistable variable with the settings of its ParamAttr."""

    persistable = True
    is_parameter = True

    def __init__(self, t: torch.Tensor, name: str, trainable: bool = True, **settings: Any):
        super().__init__(t, stop_gradient=False)
        self.name = name
        self.trainable = trainable  # Fluid: whether optimizers update it; its gradient is computed all the same
        self.optimize_attr = settings.get("optimize_attr") or {"learning_rate": 1.0}
        self.regularizer = settings.get("regularizer")
        self.gradient_clip_attr = settings.get("gradient_clip_attr")
        self.do_model_average = settings.get("do_model_average")
        self.is_distributed = settings.get("is_distributed", False)

    def _become(self, other: VarBase) -> None:
        """Fluid: what is written into a parameter does not decide whether it is trained."""
        if self.stop_gradient or other.stop_gradient:
            self._t, self._lod = other._t, other._lod
        else:
            super()._become(other)
