"""paddle.fluid.io: saving, loading and reading."""

from refluid.data.batch import batch as batch
from refluid.data.loading.data_loader import DataLoader as DataLoader, stack_fields as default_collate_fn
from refluid.data.loading.dataset import BatchSampler as BatchSampler, Dataset as Dataset
from refluid.data.loading.py_reader import PyReader as PyReader
from refluid.data.readers.combine import (
    ComposeNotAligned as ComposeNotAligned,
    cache as cache,
    chain as chain,
    compose as compose,
    firstn as firstn,
    map_readers as map_readers,
    shuffle as shuffle,
)
from refluid.data.readers.processes import multiprocess_reader as multiprocess_reader
from refluid.data.readers.threads import buffered as buffered, xmap_readers as xmap_readers
from refluid.distributed.persist import (
    load_distributed as _load_distributed_persistables,
    save_distributed as _save_distributed_persistables,
)
from refluid.saving.graph_nodes import (
    _load_persistable_nodes as _load_persistable_nodes,
    _save_persistable_nodes as _save_persistable_nodes,
)
from refluid.saving.inference import (
    append_fetch_ops as append_fetch_ops,
    get_program_parameter as get_program_parameter,
    get_program_persistable_vars as get_program_persistable_vars,
    load_inference_model as load_inference_model,
    prepend_feed_ops as prepend_feed_ops,
    save_inference_model as save_inference_model,
)
from refluid.saving.program_state import (
    load as load,
    load_program_state as load_program_state,
    save as save,
    set_program_state as set_program_state,
)
from refluid.saving.variables import (
    get_parameter_value as get_parameter_value,
    get_parameter_value_by_name as get_parameter_value_by_name,
    is_belong_to_optimizer as is_belong_to_optimizer,
    is_parameter as is_parameter,
    is_persistable as is_persistable,
    load_params as load_params,
    load_persistables as load_persistables,
    load_vars as load_vars,
    save_params as save_params,
    save_persistables as save_persistables,
    save_vars as save_vars,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
