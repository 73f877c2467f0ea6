"""paddle.fluid.incubate.fleet.base: what all modes have in common."""
