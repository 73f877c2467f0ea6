"""paddle.tensor.io: saving programs with their parameters."""

from refluid.saving.program_state import load as load, save as save
