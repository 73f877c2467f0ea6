"""paddle.fluid.contrib.utils.lookup_table_utils: distributed tables in files."""

from refluid.distributed.persist.lookup_tables import (
    convert_dist_to_sparse_program as convert_dist_to_sparse_program,
    get_inference_model as get_inference_model,
    load_persistables_for_increment as load_persistables_for_increment,
    load_persistables_for_inference as load_persistables_for_inference,
    lookup_table_dir as lookup_table_dir,
    model_filename as model_filename,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
