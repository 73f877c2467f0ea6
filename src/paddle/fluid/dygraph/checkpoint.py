"""paddle.fluid.dygraph.checkpoint: saving and loading."""

from refluid.saving.dygraph import (
    load_dygraph as load_dygraph,
    load_persistables as load_persistables,
    save_dygraph as save_dygraph,
    save_persistables as save_persistables,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
