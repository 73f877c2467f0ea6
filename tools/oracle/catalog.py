"""The list of programs that Fluid 1.8.5 (to record them) and Refluid (to compare) build alike.

A registered function builds in the default programs of the moment; it may return more programs by name. `build(name)`
gives it fresh programs and fresh name counters, so that names do not depend on what was built before.
"""

import paddle.fluid as fluid

PROGRAMS = {}


def program(function):
    """Register a function that builds a program under its own name."""
    PROGRAMS[function.__name__] = function
    return function


def build(name):
    """Build one registered program from nothing; returns {"main": Program, "startup": Program, ...}."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        more = PROGRAMS[name]()
    return dict(more or {}, main=main, startup=startup)
