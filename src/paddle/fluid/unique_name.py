"""paddle.fluid.unique_name: names that do not repeat."""

from refluid.core.unique_name import generate as generate, guard as guard, switch as switch
