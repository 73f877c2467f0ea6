"""paddle.fluid.contrib.slim: smaller models."""
