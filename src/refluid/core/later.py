"""What a folder calls that a later folder defines: it is named, and loaded when it is first called.

Folders import those before them alone. Where Fluid gives a class a method whose work is done further down (a program
that is read from bytes, an executor that trains from a data set), the class has a `Later` in its place, so nobody has
to import the later folder for its effect on the earlier one.
"""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """A function, or a method of a class, written 'module:name'."""

    def __init__(self, where: str) -> None:
        self.where = where

    def load(self) -> Any:
        module, _, name = self.where.partition(":")
        return getattr(importlib.import_module(module), name)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.load()(*args, **kwargs)

    def __get__(self, instance: object, owner: type) -> Any:
        return self.load().__get__(instance, owner)


class LaterStatic(Later):
    """A static method."""

    def __get__(self, instance: object, owner: type) -> Any:
        return self.load()
