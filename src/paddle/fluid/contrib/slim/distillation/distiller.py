"""paddle.fluid.contrib.slim.distillation.distiller: losses between student and teacher."""

from refluid.contrib.slim.distillation.distillers import (
    FSPDistiller as FSPDistiller,
    FSPDistillerPass as FSPDistillerPass,
    L2Distiller as L2Distiller,
    L2DistillerPass as L2DistillerPass,
    SoftLabelDistiller as SoftLabelDistiller,
    SoftLabelDistillerPass as SoftLabelDistillerPass,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
