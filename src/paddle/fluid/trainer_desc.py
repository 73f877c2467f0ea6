"""paddle.fluid.trainer_desc: settings of a training from a data set."""

from refluid.distributed.trainers import (
    DistMultiTrainer as DistMultiTrainer,
    MultiTrainer as MultiTrainer,
    PipelineTrainer as PipelineTrainer,
    TrainerDesc as TrainerDesc,
)

__all__ = ["DistMultiTrainer", "MultiTrainer", "PipelineTrainer", "TrainerDesc"]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
