"""paddle.fluid.average: averages."""

