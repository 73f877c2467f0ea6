"""The programs that are timed: one file per work and API, one function per mode.

A function builds everything and returns `step`, a call without arguments that does one unit of the work. The step of a
training returns its loss, so that the worker can see that it really trains. The `*_fluid` files are plain Fluid 1.8:
the same file runs on this project and on the real Fluid 1.8.5 (Python 3.8).
"""
