"""How layer functions name what they make: `fc_0`, `fc_0.tmp_0`, `fc_0.w_0`."""

from __future__ import annotations

from typing import Protocol

from refluid.core import unique_name
from refluid.core.errors import ArgumentError


class HasName(Protocol):
    """A variable."""

    @property
    def name(self) -> str: ...


class Names:
    """What the outputs of one operator call are named by: a mode asks for a name when it makes a variable."""

    __slots__ = ()
    unchecked = False  # whether the operator is appended without a look at the dtypes of its inputs
    of_python = False  # whether the call is an operator of Python between variables

    def tmp(self) -> str:
        """The name of the next output."""
        raise NotImplementedError


class Counted(Names):
    """Names that count under one prefix, whatever layer calls."""

    __slots__ = ("prefix",)

    def __init__(self, prefix: str):
        self.prefix = prefix

    def tmp(self) -> str:
        return unique_name.generate(self.prefix)


class OfPython(Counted):
    __slots__ = ()
    of_python = True


TMP = OfPython("tmp")  # results of Python's operators: tmp_0
NO_LAYER = Counted("_generated_var")  # what Fluid names after no layer, or leaves to the block to name


class LayerName(Names):
    """The name of one call of a layer function, made when it is first asked for.

    Fluid numbers layer calls per type and the temporaries and parameters of a call per layer name; the imperative
    mode never asks, so naming costs it nothing.
    """

    __slots__ = ("_name", "layer_type")

    def __init__(self, layer_type: str, name: str | None = None):
        self.layer_type = layer_type
        self._name = name

    def __str__(self) -> str:
        if self._name is None:
            self._name = unique_name.generate(self.layer_type)
        elif not isinstance(self._name, str):
            raise ArgumentError(f"{self.layer_type}: name must be a str or None, got {self._name!r:.60}")
        return self._name

    def tmp(self) -> str:
        return unique_name.generate(f"{self}.tmp")

    def child(self, suffix: str) -> str:
        """A name such as `fc_0.w_0` for suffix 'w'."""
        return unique_name.generate(f"{self}.{suffix}")

    def reserve(self) -> FixedNames:
        """The next temporary's name, for an operator that is called after others of this layer."""
        return FixedNames(self.tmp())


class OwnName(LayerName):
    """Names the result of a call after the call itself: `tril_0`, or the name that the user gives."""

    __slots__ = ()

    def tmp(self) -> str:
        return str(self)


class OwnConstants(Names):
    """In place of a layer: constants made beside variables are layers of their own, fill_constant_0 and so on."""

    __slots__ = ("layer_type",)

    def __init__(self, layer_type: str):
        self.layer_type = layer_type

    def tmp(self) -> str:
        return LayerName("fill_constant").tmp()


class Parts(Names):
    """Names after something that has a name already: slices x_slice_0, steps on the way to a weight w_norm_0."""

    __slots__ = ("suffix", "whole")

    def __init__(self, whole: LayerName | HasName, suffix: str):
        self.whole, self.suffix = whole, suffix

    def tmp(self) -> str:
        whole = self.whole if isinstance(self.whole, LayerName) else self.whole.name
        return unique_name.generate(f"{whole}{self.suffix}")


class FixedNames(Names):
    """Names for the outputs of one operator, in the order in which it numbers them."""

    __slots__ = ("_names",)

    def __init__(self, *names: str):
        self._names = iter(names)

    def tmp(self) -> str:
        return next(self._names)


def exactly(name: str | None) -> FixedNames | None:
    """For those functions whose result has the very name that they are given."""
    return None if name is None else FixedNames(name)


class Appended(Names):
    """Names of a layer, for an operator that its function appends without looking at the dtype of its input."""

    __slots__ = ("layer",)
    unchecked = True

    def __init__(self, layer: LayerName):
        self.layer = layer

    def tmp(self) -> str:
        return self.layer.tmp()
