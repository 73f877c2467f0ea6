"""paddle.fluid.input: embeddings and one-hot codes."""

