"""paddle.fluid.incubate.fleet.utils: files, metrics, meeting."""
