"""paddle.version: the release whose names these are."""

from refluid import __version__ as commit  # what stands behind the names
from refluid.core.version import (
    FLUID_VERSION as full_version,
    IS_TAGGED as istaged,
    MAJOR as major,
    MINOR as minor,
    PATCH as patch,
    RC as rc,
    WITH_MKL as with_mkl,
    mkl as mkl,
    show as show,
)
