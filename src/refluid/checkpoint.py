"""refluid.checkpoint: save a training and take it up again, exactly."""

from refluid.saving.checkpoint import (
    Checkpoint as Checkpoint,
    ResumableReader as ResumableReader,
    load as load,
    save as save,
)
