"""paddle.fluid.incubate.fleet.parameter_server: workers with servers."""
