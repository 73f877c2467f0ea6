"""Looking into a training: the profiler, plots of its curves, the check of an installation."""
