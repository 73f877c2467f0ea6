"""A call as it should be, and what becomes of it when one argument is something else: rows for a table of calls.

    calls = Table()
    call = Variants(calls, "layers_networks")
    call("L.pool2d", F(2, 3, 4, 4), 2, "max")

adds the call itself, then calls with each variable of another dtype, rank or size, of unknown sizes, or no variable at
all, and with each other argument negative, of another kind, or from numpy. Plain Fluid code, Python 3.8.
"""

import itertools
import json
import os

import numpy as np
from calls.table import Given

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = ("float32", "float64", "int32", "int64", "bool")


class Plain:
    """Text that stands for itself in a call."""

    def __init__(self, text):
        self.text = text


class Var:
    """An input: what is fed, and how it is declared. The first size is unknown unless `known`."""

    def __init__(self, shape, dtype, lod=None, data=None, top=3, known=False):
        self.shape, self.dtype, self.lod, self.data, self.top = list(shape), dtype, lod, data, top
        self.declared = list(shape) if known else [-1] + list(shape[1:])

    def value(self, seed):
        if self.data is not None:
            return np.array(self.data).reshape(self.shape).astype(self.dtype)
        size = int(np.prod(self.shape))
        if self.dtype.startswith("float"):
            value = 0.5 + 0.4 * np.sin(np.arange(size) * 1.7 + seed)
        elif self.dtype == "bool":
            value = np.arange(size) % 2 == 0
        else:
            value = (np.arange(size) * 2 + 1) % self.top
        return value.reshape(self.shape).astype(self.dtype)

    def given(self, seed):
        return Given(self.value(seed), self.declared, self.dtype, self.lod)

    def but(self, **changes):
        other = Var(self.shape, self.dtype, self.lod, self.data, self.top)
        other.declared = self.declared
        other.__dict__.update(changes)
        return other


def _kind(dtype):
    return lambda *shape, **options: Var(shape, dtype, **options)


F, D, I, J, B = (_kind(dtype) for dtype in ("float32", "float64", "int64", "int32", "bool"))


def reasons(subject):
    """{call: why it differs from 1.8.5}"""
    with open(os.path.join(HERE, "calls", "differ", subject + ".json")) as file:
        return {key: reason for reason, keys in json.load(file).items() for key in keys}


def explained(table, subject):
    """Gives the calls of a table that are not variants the reasons why they differ."""
    for key, reason in reasons(subject).items():
        table.cases[key]["differs"] = reason


class Variants:
    """Adds a call and its variants to a table; why some differ from 1.8.5 stands in calls/differ/<subject>.json."""

    def __init__(self, table, subject):
        self.table, self.seen = table, set()
        self.differs = reasons(subject)

    def __call__(self, function, *args, **kwargs):
        self.add(function, args, kwargs)
        first, names = function not in self.seen, self.seen
        names.add(function)
        variables = [place for place, value in places(args, kwargs) if isinstance(value, Var)]
        if len(variables) > 1:
            self.add(function, *changed(args, kwargs, variables, unknown))
            self.add(function, *changed(args, kwargs, variables, lambda var: var.but(dtype="float64")))
        if first:
            for place, value in list(places(args, kwargs)):
                for other in others(value):
                    self.add(function, *replaced(args, kwargs, place, other))

    def add(self, function, args, kwargs):
        inputs, counter = {}, itertools.count()

        def text(value):
            if isinstance(value, Var):
                seed = next(counter)
                inputs["xyzuvwabc"[seed]] = value.given(seed)
                return "xyzuvwabc"[seed]
            if isinstance(value, Plain):
                return value.text
            if isinstance(value, (list, tuple)):
                inside = ", ".join(text(one) for one in value)
                return "[%s]" % inside if isinstance(value, list) else "(%s,)" % inside
            return repr(value)

        parts = [text(value) for value in args] + ["%s=%s" % (key, text(value)) for key, value in kwargs.items()]
        call = "%s(%s)" % (function, ", ".join(parts))
        before = set(self.table.cases)
        self.table.static(call, **inputs)
        (key,) = set(self.table.cases) - before
        self.table.cases[key]["differs"] = self.differs.get(key)


def places(args, kwargs):
    """(where, what) of every argument; a list of variables is looked into."""
    for key, value in [*enumerate(args), *kwargs.items()]:
        yield (key,), value
        if isinstance(value, (list, tuple)) and any(isinstance(one, Var) for one in value):
            yield (key, 0), value[0]


def replaced(args, kwargs, place, value):
    args, kwargs = list(args), dict(kwargs)
    holder = args if isinstance(place[0], int) else kwargs
    if len(place) > 1:
        value = [value if i == place[1] else one for i, one in enumerate(holder[place[0]])]
    holder[place[0]] = value
    return args, kwargs


def changed(args, kwargs, variables, change):
    for place in variables:
        value = args[place[0]] if isinstance(place[0], int) else kwargs[place[0]]
        args, kwargs = replaced(args, kwargs, place, change(value[place[1]] if len(place) > 1 else value))
    return args, kwargs


def unknown(var):
    return var.but(declared=[-1] * len(var.shape))


def others(value):
    """What else could stand in place of an argument."""
    if isinstance(value, Var):
        return other_variables(value)
    if isinstance(value, bool):
        return ["x", 1]
    if isinstance(value, int):
        return [-1, 1.5, "x", Plain("np.int64(%d)" % value), Plain("np.array([%d])" % value)]
    if isinstance(value, float):
        return [-1.0, "x"]
    if isinstance(value, str):
        return ["wrong", 3]
    if isinstance(value, (list, tuple)) and value and not any(isinstance(one, Var) for one in value):
        variants = [tuple(value), value[0], value[:-1], ["x"] * len(value), Plain("np.array(%r)" % (list(value),))]
        return variants + [[-1] * len(value), [1.5] * len(value)] if isinstance(value[0], int) else variants
    return []


def other_variables(var):
    shape, declared = var.shape, var.declared
    variants = [unknown(var)]
    variants += [var.but(dtype=dtype) for dtype in DTYPES if dtype != var.dtype]
    variants += [Plain("np.ones(%r, %r)" % (shape, var.dtype)), None]
    variants.append(var.but(shape=shape + [1], declared=declared + [1]))
    if len(shape) > 1:
        wider = shape[-1] + 1
        variants.append(var.but(shape=shape[:-1], declared=declared[:-1], data=None))
        variants.append(var.but(shape=shape[:-1] + [wider], declared=declared[:-1] + [wider], data=None))
    if var.lod:
        variants.append(var.but(lod=None))
    return variants
