"""paddle.io: reading data and saving programs, as 2.0-alpha spells it."""

from refluid.data.batch import batch as batch
from refluid.data.loading.data_loader import DataLoader as DataLoader
from refluid.data.loading.dataset import BatchSampler as BatchSampler, Dataset as Dataset
from refluid.data.readers.combine import (
    cache as cache,
    chain as chain,
    compose as compose,
    firstn as firstn,
    map_readers as map_readers,
    shuffle as shuffle,
)
from refluid.data.readers.threads import buffered as buffered, xmap_readers as xmap_readers
from refluid.saving.inference import (
    load_inference_model as load_inference_model,
    save_inference_model as save_inference_model,
)
from refluid.saving.program_state import (
    load as load,
    load_program_state as load_program_state,
    save as save,
    set_program_state as set_program_state,
)
