"""Watching a program: metrics over many batches, the profiler, the check of the installation."""
