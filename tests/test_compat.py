"""Names that the world dropped come back with `import paddle`, and only with it. Needs neither torch nor paddle."""

import subprocess
import sys

import numpy as np
import pytest
from google.protobuf import descriptor_pb2
from PIL import Image, ImageDraw, ImageFont

from refluid import compat

EVERY_NAME = [
    pytest.param(group.owner, name, id=f"{group.owner}:{name}") for group in compat.GROUPS for name in group.names
]


def python(code: str, warnings: str = "error", **env: str) -> str:
    """What a fresh interpreter prints: names once put back stay, so the untouched world is another process."""
    done = subprocess.run(
        [sys.executable, "-W", warnings, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), **env},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module", autouse=True)
def applied():
    compat.apply()


@pytest.mark.parametrize("owner, name", EVERY_NAME)
def test_every_name_is_there_after_apply(owner, name):
    assert not compat.missing(compat.find(owner), name)


def test_every_group_has_a_reason():
    assert all(len(group.reason) > 10 and group.names for group in compat.GROUPS)


def test_a_second_apply_adds_nothing():
    assert compat.apply() == []


def test_what_exists_is_never_replaced(monkeypatch):
    mine = object()
    monkeypatch.setattr(np, "int", mine, raising=False)
    compat.apply()
    assert np.int is mine


def test_what_is_missing_is_put_back_and_named(monkeypatch):
    monkeypatch.delattr(np.random, "random_integers")
    assert compat.apply() == ["numpy.random:random_integers"]
    assert {int(n) for n in np.random.random_integers(3, size=200)} == {1, 2, 3}
    assert {int(n) for n in np.random.random_integers(5, 6, size=100)} == {5, 6}


def test_importing_refluid_touches_nothing():
    out = python(
        "import numpy, refluid, refluid.compat; print('int' in vars(numpy), hasattr(refluid, 'compat_applied'))"
    )
    assert out == "False False"


def test_importing_compat_applied_puts_the_names_back_without_a_warning():
    out = python(
        "import refluid.compat_applied\n"
        "import numpy as np, collections, time, inspect\n"
        "from PIL import Image\n"
        "print(np.int is int, np.object is object, collections.Iterable.__name__, time.clock() > 0, Image.ANTIALIAS)"
    )
    assert out == f"True True Iterable True {int(Image.LANCZOS)}"


@pytest.mark.parametrize("value, added", [("1", False), ("yes", False), ("0", True), ("", True)])
def test_the_switch_turns_it_off(value, added):
    code = "import refluid.compat_applied, numpy; print('int' in vars(numpy))"
    assert python(code, REFLUID_NO_COMPAT=value) == str(added)


def test_old_numpy_names_do_what_they_did():
    assert np.array([1, 2], dtype=np.int).dtype == np.int64
    assert np.array([1, 2], dtype=np.float).dtype == np.float64
    assert np.array(["a", 1], dtype=np.object).dtype == object
    assert np.asscalar(np.array([3.5], np.float32)) == 3.5
    assert np.asfarray([1, 2]).dtype == np.float64
    assert np.asfarray([1, 2], np.float32).dtype == np.float32
    assert np.asfarray([1, 2], np.int32).dtype == np.float64
    assert (np.product([2, 3]), np.alen(5), np.alen([5, 6]), np.rank([[1]])) == (6, 1, 2, 2)
    assert np.msort([[3, 1], [2, 5]]).tolist() == [[2, 1], [3, 5]]
    assert (np.NINF, np.Inf) == (-np.inf, np.inf)
    assert np.math.sqrt(4) == 2


def test_a_picture_is_scaled_the_way_of_2019():
    picture = Image.new("L", (56, 56), 255).resize((28, 28), Image.ANTIALIAS)
    assert picture.size == (28, 28)
    assert Image.isImageType(picture)


def test_text_is_measured_the_way_of_2019():
    draw, font = ImageDraw.Draw(Image.new("L", (99, 99))), ImageFont.load_default()
    left, _, right, bottom = font.getbbox("digit")
    assert draw.textsize("digit") == font.getsize("digit") == (int(right - left), int(bottom))
    width, height = draw.textsize("digit\nd", font=font, spacing=6)
    assert width == int(right - left)
    assert height == 2 * font.getsize("A")[1] + 6


@pytest.mark.filterwarnings("ignore:inspect.getargspec")  # Python 3.10 still has it
def test_old_standard_library_names_do_what_they_did():
    import base64
    import collections
    import fractions
    import inspect
    import threading

    assert issubclass(dict, collections.Mapping)
    assert fractions.gcd(12, 18) == 6
    assert base64.decodestring(base64.encodestring(b"fluid")) == b"fluid"
    assert threading.Thread().isAlive() is False
    assert inspect.getargspec(lambda a, b=1, *c, **d: 0) == (["a", "b"], "c", "d", (1,))
    assert list(xrange(3)) == [0, 1, 2]  # noqa: F821


def test_importing_paddle_puts_the_names_back():
    pytest.importorskip("torch")
    code = "import paddle, numpy; print('int' in vars(numpy), paddle.__version__)"
    assert python(code, warnings="default") == "True 1.8.5"


OLD_MODULE = """
import sys
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from google.protobuf import reflection as _reflection
from google.protobuf import symbol_database as _symbol_database

_sym_db = _symbol_database.Default()
DESCRIPTOR = _descriptor.FileDescriptor(
    name="point.proto", package="old", syntax="proto2",
    serialized_pb=SERIALIZED,
)
_POINT = _descriptor.Descriptor(
    name="Point", full_name="old.Point", filename=None, file=DESCRIPTOR, containing_type=None,
    fields=[
        _descriptor.FieldDescriptor(
            name="x", full_name="old.Point.x", index=0, number=1, type=5, cpp_type=1, label=1,
            has_default_value=False, default_value=0, message_type=None, enum_type=None, containing_type=None,
            is_extension=False, extension_scope=None, options=None,
        )
    ],
    extensions=[], nested_types=[], enum_types=[], options=None, is_extendable=False, syntax="proto2",
    extension_ranges=[], oneofs=[], serialized_start=20, serialized_end=38,
)
DESCRIPTOR.message_types_by_name["Point"] = _POINT
_sym_db.RegisterFileDescriptor(DESCRIPTOR)
Point = _reflection.GeneratedProtocolMessageType(
    "Point", (_message.Message,), dict(DESCRIPTOR=_POINT, __module__="point_pb2")
)
"""


def test_modules_that_an_old_protoc_generated_load_after_paddle(tmp_path):
    file = descriptor_pb2.FileDescriptorProto(name="point.proto", package="old", syntax="proto2")
    file.message_type.add(name="Point").field.add(name="x", number=1, label=1, type=5)
    (tmp_path / "point_pb2.py").write_text(OLD_MODULE.replace("SERIALIZED", repr(file.SerializeToString())))
    use = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import point_pb2; print(point_pb2.Point(x=3).x)"
    assert python(f"import refluid.compat_applied; {use}", warnings="ignore") == "3"  # protobuf warns of old modules


def test_a_choice_of_protobuf_that_was_made_stays():
    ask = "from google.protobuf.internal import api_implementation as a; print(a.Type())"
    chosen = python(ask)
    assert python(f"import google.protobuf.message, refluid.compat_applied; {ask}") == chosen
    assert python(f"import refluid.compat_applied; {ask}", PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION="upb") == "upb"
    assert python(f"import refluid.compat_applied; {ask}", REFLUID_NO_COMPAT="1") == chosen
    left = "import os; print('PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION' in os.environ)"
    assert python(f"import refluid.compat_applied; {ask}; {left}").split() == ["python", "False"]
