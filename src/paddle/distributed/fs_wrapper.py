"""paddle.distributed.fs_wrapper: file systems that checkpoints lie in."""

from refluid.saving.file_system import FS as FS, LocalFS as LocalFS
