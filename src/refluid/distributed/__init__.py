"""distributed: several processes that train one model; README.md says how."""

# What these register (operators, how plans run them, passes over plans) must be there as soon as a program names one of
# the operators, which loads the module that defines it (ops/index.py) and with it this package.
from refluid.distributed import (
    bucket_pass as bucket_pass,
    collective_ops as collective_ops,
    dgc as dgc,
    server_ops as server_ops,
    sync_batch_norm as sync_batch_norm,
)
from refluid.distributed.persist import operators as operators
from refluid.distributed.server import emit as emit, lookup_steps as lookup_steps, table_steps as table_steps
