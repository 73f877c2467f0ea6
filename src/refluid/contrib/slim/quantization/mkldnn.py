"""What 1.8.5 has for the integer kernels of Intel's library: names, and an error that says what to use here."""

from __future__ import annotations

from refluid.contrib.slim.core.strategy import Strategy
from refluid.core.errors import EnforceNotMet

_INSTEAD = (
    "makes models for the int8 kernels of MKL-DNN, which are not here; PostTrainingQuantization and "
    "QuantizationFreezePass make models of integers that every executor runs"
)


class QatInt8MkldnnPass:
    """A trained graph for MKL-DNN's int8 kernels."""

    def __init__(self, _scope: object = None, _place: object = None):
        raise EnforceNotMet(f"QatInt8MkldnnPass {_INSTEAD}")


class Qat2Int8MkldnnPass:
    """The same for graphs of the second kind of quantized training."""

    def __init__(self, _quantized_ops: object, _scope: object = None, _place: object = None, _core: object = None,
                 _debug: bool = False):  # fmt: skip
        raise EnforceNotMet(f"Qat2Int8MkldnnPass {_INSTEAD}")


class MKLDNNPostTrainingQuantStrategy(Strategy):
    """A saved model for MKL-DNN's int8 kernels."""

    def __init__(
        self,
        int8_model_save_path: str | None = None,
        fp32_model_path: str | None = None,
        cpu_math_library_num_threads: int = 1,
    ):
        raise EnforceNotMet(f"MKLDNNPostTrainingQuantStrategy {_INSTEAD}")
