"""paddle.fluid.unique_name: names that do not repeat."""

from refluid.core.unique_name import (
    DygraphParameterNameChecker as DygraphParameterNameChecker,
    UniqueNameGenerator as UniqueNameGenerator,
    generate as generate,
    generate_with_ignorable_key as generate_with_ignorable_key,
    guard as guard,
    switch as switch,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
