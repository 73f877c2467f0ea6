"""Names that NumPy, Pillow and Python dropped after 2020 and that programs of Fluid's time use.

`import paddle` puts them back (through `refluid.compat_applied`) where they are missing; nothing that exists is ever
replaced, and REFLUID_NO_COMPAT=1 turns it off. Importing `refluid` touches nothing. Out of reach are methods of types
written in C (`ndarray.tostring`) and functions that stayed but refuse what they once took (`np.array` of ragged lists).
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

SWITCH = "REFLUID_NO_COMPAT"
_PROTOBUF = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"


class Group(NamedTuple):
    """Names that left one module (or class, as "module:Class") for one reason."""

    owner: str
    reason: str
    names: dict[str, Any]  # name -> where the same thing is ("module:attribute"), or the thing itself


class ArgSpec(NamedTuple):
    """What inspect.getargspec returned."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """The positional side of a signature. Keyword-only arguments are left out, not refused."""
    return ArgSpec(*inspect.getfullargspec(func)[:4])


def asscalar(a: object) -> Any:
    """The only element of an array, as a Python number."""
    return np.asarray(a).item()


def asfarray(a: ArrayLike, dtype: DTypeLike = np.float64) -> np.ndarray:
    """An array of floating point numbers; a dtype that is not floating point becomes float64."""
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def alen(a: ArrayLike) -> int:
    """The length of the first axis, 1 for a scalar."""
    return len(np.atleast_1d(a))


def msort(a: ArrayLike) -> np.ndarray:
    """A copy sorted along the first axis."""
    return np.sort(a, axis=0)


def random_integers(low: int, high: int | None = None, size: int | Sequence[int] | None = None) -> int | np.ndarray:
    """Integers from low to high, both included; from 1 to low when high is left out."""
    low, high = (1, low) if high is None else (low, high)
    return np.random.randint(low, high + 1, size=size, dtype=np.int64)


def is_image_type(t: object) -> bool:
    """Whether t is a Pillow image."""
    return isinstance(t, importlib.import_module("PIL.Image").Image)


def getsize(self: Any, text: str, *args: Any, stroke_width: int = 0, **kwargs: Any) -> tuple[int, int]:
    """Width and height of a line of text; the height counts from the top of the line, not of the ink."""
    if stroke_width:
        kwargs["stroke_width"] = stroke_width
    left, _, right, bottom = self.getbbox(text, *args, **kwargs)
    return int(right - left), int(bottom + stroke_width)


def textsize(self: Any, text: str, font: Any = None, spacing: float = 4, **kwargs: Any) -> tuple[int, int]:
    """Width and height of a text, of several lines if it has line breaks."""
    if "\n" in text:
        return multiline_textsize(self, text, font, spacing, **kwargs)
    return getsize(font if font is not None else self.getfont(), text, **kwargs)


def multiline_textsize(self: Any, text: str, font: Any = None, spacing: float = 4, **kwargs: Any) -> tuple[int, int]:
    """The widest line, and as many lines of the height of an "A" as the text has, `spacing` apart."""
    lines = text.split("\n")
    height = textsize(self, "A", font, **kwargs)[1] + spacing
    return max(textsize(self, line, font, **kwargs)[0] for line in lines), int(len(lines) * height - spacing)


# The names of `collections.abc` that `collections` had until Python 3.10.
_ABCS = """AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator
    Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet
    Reversible Sequence Set Sized ValuesView""".split()

GROUPS = (
    Group(
        "numpy",
        "NumPy 1.24 dropped its second names for Python's own types",
        {
            **{name: f"builtins:{name}" for name in ("bool", "int", "float", "complex", "object", "str")},
            "long": "builtins:int",
            "unicode": "builtins:str",
        },
    ),
    Group(
        "numpy",
        "NumPy 1.24 and 2.0 dropped second names of scalar types",
        {
            **{"bool8": "numpy:bool_", "int0": "numpy:intp", "uint0": "numpy:uintp", "object0": "numpy:object_"},
            **{"str0": "numpy:str_", "bytes0": "numpy:bytes_", "unicode_": "numpy:str_", "string_": "numpy:bytes_"},
            **{"float_": "numpy:float64", "longfloat": "numpy:longdouble", "complex_": "numpy:complex128"},
            **{"cfloat": "numpy:complex128", "singlecomplex": "numpy:complex64", "longcomplex": "numpy:clongdouble"},
            "typeDict": "numpy:sctypeDict",
        },
    ),
    Group(
        "numpy",
        "NumPy 2.0 keeps one spelling of infinity and of not-a-number",
        {
            **{name: "numpy:inf" for name in ("Inf", "Infinity", "infty", "PINF")},
            **{name: "numpy:nan" for name in ("NaN", "NAN")},
            **{"NINF": -np.inf, "PZERO": 0.0, "NZERO": -0.0},
        },
    ),
    Group(
        "numpy",
        "NumPy 1.18 to 2.0 dropped functions that another name covers",
        {
            **{"product": "numpy:prod", "cumproduct": "numpy:cumprod", "alltrue": "numpy:all", "sometrue": "numpy:any"},
            **{"round_": "numpy:round", "rank": "numpy:ndim", "mat": "numpy:asmatrix"},
            **{"asscalar": asscalar, "asfarray": asfarray, "alen": alen, "msort": msort},
        },
    ),
    Group(
        "numpy",
        "NumPy 2.0 moved its warnings and errors; the modules math and warnings were never meant to show",
        {
            **{"math": "math", "warnings": "warnings"},
            **{name: f"numpy.exceptions:{name}" for name in ("AxisError", "ComplexWarning", "RankWarning")},
            "VisibleDeprecationWarning": "numpy.exceptions:VisibleDeprecationWarning",
        },
    ),
    Group("numpy.random", "deprecated since NumPy 1.11, on its way out", {"random_integers": random_integers}),
    Group(
        "PIL.Image",
        "Pillow 10 dropped second names of its filters; 11 to 13 a few helpers",
        {
            **{"ANTIALIAS": "PIL.Image:LANCZOS", "LINEAR": "PIL.Image:BILINEAR", "CUBIC": "PIL.Image:BICUBIC"},
            "isImageType": is_image_type,
        },
    ),
    Group("PIL.ImageFont:ImageFont", "Pillow 10 measures text with getbbox", {"getsize": getsize}),
    Group("PIL.ImageFont:FreeTypeFont", "Pillow 10 measures text with getbbox", {"getsize": getsize}),
    Group(
        "PIL.ImageDraw:ImageDraw",
        "Pillow 10 measures text with textbbox",
        {"textsize": textsize, "multiline_textsize": multiline_textsize},
    ),
    Group(
        "collections",
        "Python 3.10 keeps the abstract classes in collections.abc alone",
        {name: f"collections.abc:{name}" for name in _ABCS},
    ),
    Group("time", "gone in Python 3.8; on Unix it was the processor time", {"clock": "time:process_time"}),
    Group("inspect", "gone in Python 3.11", {"getargspec": getargspec, "ArgSpec": ArgSpec}),
    Group("fractions", "gone in Python 3.9", {"gcd": "math:gcd"}),
    Group("threading:Thread", "gone in Python 3.9", {"isAlive": "threading:Thread.is_alive"}),
    Group("base64", "gone in Python 3.9", {"encodestring": "base64:encodebytes", "decodestring": "base64:decodebytes"}),
    Group("builtins", "Fluid's guide to readers still counts with Python 2's name", {"xrange": "builtins:range"}),
)


def find(target: str) -> Any:
    """The thing that "module" or "module:attribute.attribute" names."""
    module, _, path = target.partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split(".") if path else ():
        found = getattr(found, name)
    return found


def missing(owner: object, name: str) -> bool:
    """Whether a module or class lacks a name. NumPy's module-level __getattr__ warns or raises, so it is not asked."""
    return not hasattr(owner, name) if isinstance(owner, type) else name not in vars(owner)


def choose_protobuf() -> None:
    """Let protobuf use its implementation in Python, unless it is loaded or somebody has chosen.

    Modules that protoc generated before 2022 (`*_pb2.py` in public code) do not load with the compiled one. What is
    saved here does not go through protobuf (saving/records.py), so that it is as fast as before.
    """
    if "google.protobuf" in sys.modules or _PROTOBUF in os.environ:
        return
    os.environ[_PROTOBUF] = "python"
    try:
        importlib.import_module("google.protobuf.internal.api_implementation")
    except ImportError:
        pass  # there is no protobuf
    finally:
        del os.environ[_PROTOBUF]  # other processes choose for themselves


def apply() -> list[str]:
    """Put back every name of GROUPS that is missing and return their full names; with the switch set, do nothing."""
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return []
    choose_protobuf()
    added = []
    for group in GROUPS:
        owner = find(group.owner)
        for name, target in group.names.items():
            if missing(owner, name):
                setattr(owner, name, find(target) if isinstance(target, str) else target)
                added.append(f"{group.owner}:{name}" if ":" not in group.owner else f"{group.owner}.{name}")
    return added
