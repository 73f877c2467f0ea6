"""paddle.fluid.incubate.fleet.collective: workers that sum gradients among themselves."""

from refluid.distributed.fleet.checkpoint import TrainStatus as TrainStatus
from refluid.distributed.fleet.collective import (
    Collective as Collective,
    CollectiveOpBasedOptimizer as CollectiveOpBasedOptimizer,
    CollectiveOptimizer as CollectiveOptimizer,
    DistFCConfig as DistFCConfig,
    DistributedStrategy as DistributedStrategy,
    LambConfig as LambConfig,
    fleet as fleet,
)
from refluid.saving.file_system import LocalFS as LocalFS
from refluid.saving.hadoop_file_system import BDFS as BDFS

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
