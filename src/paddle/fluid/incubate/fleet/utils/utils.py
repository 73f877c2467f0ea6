"""paddle.fluid.incubate.fleet.utils.utils: programs in files."""

from refluid.distributed.fleet.program_files import (
    load_program as load_program,
    program_type_trans as program_type_trans,
    save_program as save_program,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
