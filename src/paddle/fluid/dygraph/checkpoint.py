"""paddle.fluid.dygraph.checkpoint: saving and loading."""

from refluid.saving.dygraph import load_dygraph as load_dygraph, save_dygraph as save_dygraph
