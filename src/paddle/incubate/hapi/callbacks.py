"""paddle.incubate.hapi.callbacks: what happens around epochs and batches."""

from refluid.hapi.boards import (
    TensorBoard as TensorBoard,
    VisualDL as VisualDL,
)
from refluid.hapi.callbacks import (
    Callback as Callback,
    CallbackList as CallbackList,
    ModelCheckpoint as ModelCheckpoint,
    ProgBarLogger as ProgBarLogger,
    config_callbacks as config_callbacks,
)

__all__ = ["Callback", "ProgBarLogger", "ModelCheckpoint", "VisualDL", "TensorBoard"]
