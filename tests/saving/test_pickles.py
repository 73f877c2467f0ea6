"""State files are data: what tries to be more is refused, what is a state comes back as it was."""

import builtins
import collections
import io
import os
import pickle
import subprocess

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.saving.pickle_reader import read_pickle
from refluid.saving.pickle_writer import write_pickle


def read(data):
    return read_pickle(io.BytesIO(data), "state.pdparams")


def written(value):
    file = io.BytesIO()
    write_pickle(value, file)
    return file.getvalue()


def a_state():
    return {
        "weight": np.arange(6000, dtype="float32").reshape(2, 3000) - 0.5,
        "count": np.array([3], "int64"),
        "flags": np.array([[True, False]]),
        "half": np.array([1.5, -2], "float16"),
        "bytes": np.arange(256, dtype="uint8"),
        "empty": np.zeros((0, 3), "float32"),
        "LR_Scheduler": {"step_num": 3, "rate": 0.1, "last": None, "big": 2**70, "low": -1, "on": True},
        "words": ["a", ("b", 2.5, (), b"c"), [], "x" * 9000, "\u00e9\u4e2d"],
    }


def assert_same(left, right):
    if isinstance(left, np.ndarray):
        assert left.dtype == right.dtype and left.shape == right.shape and np.array_equal(left, right)
    elif isinstance(left, dict):
        assert list(left) == list(right)
        for name in left:
            assert_same(left[name], right[name])
    elif isinstance(left, list | tuple):
        assert type(left) is type(right) and len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    else:
        assert left == right and type(left) is type(right)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_states_of_every_protocol_are_read(protocol):
    assert_same(read(pickle.dumps(a_state(), protocol)), a_state())


def test_what_is_written_is_read_by_both_machines():
    data = written(a_state())
    assert_same(read(data), a_state())
    assert_same(pickle.loads(data), a_state())


def test_no_name_of_a_new_numpy_is_written():
    assert b"numpy._core" not in written(a_state())


def test_other_byte_orders_and_layouts_are_read():
    arrays = {
        "big": np.arange(6, dtype=">f4").reshape(2, 3),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    }
    got = read(pickle.dumps(arrays, 2))
    assert np.array_equal(got["big"], arrays["big"]) and got["big"].dtype == np.float32
    assert np.array_equal(got["columns"], arrays["columns"])


def test_files_of_python_2_are_read():
    """There the texts and the data of arrays are both str."""
    numbers = np.array([1.5, -3], "<f4")
    array = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01K\x02\x85"
    dtype = b"cnumpy\ndtype\nU\x02f4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    data = b"\x80\x02}q\x00U\x04name" + array + dtype + b"\x89U\x08" + numbers.tobytes() + b"tbs."
    assert np.array_equal(read(data)["name"], numbers)


def test_arrays_can_be_written_to():
    read(written({"w": np.zeros(3)}))["w"][0] = 1


class Payload:
    """Pickles as a call of `function`."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def payloads(mark):
    """Real attempts to run code; each would leave a file at `mark`."""
    touch = f"open({mark!r}, 'w').close()"
    yield "os.system", Payload(os.system, f"touch {mark}")
    yield "eval", Payload(eval, touch)
    yield "exec", Payload(exec, touch)
    yield "open", Payload(builtins.open, mark, "w")
    yield "getattr", Payload(getattr, os, "system")
    yield "Popen", Payload(subprocess.Popen, ["touch", mark])
    yield "hidden in a state", {"weight": np.zeros(2), "more": [{"deep": Payload(os.system, f"touch {mark}")}]}
    yield "objects in an array", np.array([Payload(os.system, f"touch {mark}")], dtype=object)
    yield "a class", collections.Counter
    yield "an instance", type("Harmless", (), {})


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_payloads_do_not_run(protocol, tmp_path):
    mark = tmp_path / "run"
    for name, payload in payloads(str(mark)):
        try:
            data = pickle.dumps(payload, protocol)
        except (pickle.PicklingError, AttributeError, TypeError):
            continue
        with pytest.raises(EnforceNotMet, match="state.pdparams"):
            read(data)
        assert not mark.exists(), name


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"cposix\nsystem\n(S'true'\ntR.", "it wants to use 'posix' 'system'"),
        (b"(S'true'\niposix\nsystem\n.", "pickle instruction"),  # INST
        (b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R.", "it wants to use 'posix' 'system'"),
        (b"\x80\x02cnumpy\nndarray\n)\x81}b.", "neither an array nor a learning-rate schedule"),  # NEWOBJ
        (b"\x80\x02cnumpy\nndarray\n.", "a name is in place of a value"),
        (b"\x80\x02cnumpy\nndarray\nM\x10\x27\x85R.", "in a way that numpy does not use"),
        (b"\x80\x02cnumpy\ndtype\nX\x01\x00\x00\x00O\x85R.", "only numbers and booleans"),
        (b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x05\x00\x00\x00rot13\x86R.", "a text is encoded with"),
        (b"\x80\x02Pname\n.", "pickle instruction"),  # PERSID
        (b"\x80\x02\x82\x01.", "pickle instruction"),  # EXT1
        (b"\x80\x02}}b.", "something that is no array"),
        (b"\x80\x02]r\xff\xff\xff\x7f.", None),  # a number that would make Python's machine take gigabytes
        (b"", "ends too early"),
        (b"\x80\x09.", "protocol 9"),
    ],
)
def test_crafted_instructions(data, words):
    if words is None:
        assert read(data) == []
        return
    with pytest.raises(EnforceNotMet) as error:
        read(data)
    assert words in str(error.value)


def test_an_array_that_claims_more_than_the_file_holds_takes_no_memory():
    data = pickle.dumps({"w": np.zeros(4, "float32")}, 2).replace(b"K\x04\x85", b"J\xff\xff\xff\x7f\x85")
    with pytest.raises(EnforceNotMet, match="does not fit its data"):
        read(data)


def test_doubling_containers_take_neither_time_nor_memory():
    """Every tuple holds the one before it twice: 2 ** 90 elements, if one walked them all."""
    result = read(b"\x80\x02)q\x00" + b"".join(b"h%c\x86q%c" % (i, i + 1) for i in range(90)) + b".")
    assert len(result) == 2 and result[0] is result[1]
    shape = b"".join(b"h%c\x86q%c" % (i, i + 1) for i in range(90))
    with pytest.raises(EnforceNotMet):
        read(b"\x80\x02)q\x00" + shape + b"q\x65cnumpy\ndtype\nh\x65\x85R.")


def test_data_that_are_used_again_and_again_take_no_memory():
    """The state of the first array, number 22 of the pickle, makes fifty more."""
    data = written({"w": np.arange(4000.0)}).removesuffix(b"s.")
    blank = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
    with pytest.raises(EnforceNotMet, match="larger than the file"):
        read(data + (blank + b"h\x16b") * 50 + b".")


def test_containers_without_a_bottom_are_refused():
    with pytest.raises(EnforceNotMet, match="nested more than"):
        read(b"\x80\x02" + b"]" * 500 + b"a" * 499 + b".")


def test_a_dictionary_that_is_no_state_is_refused(tmp_path):
    (tmp_path / "net.pdparams").write_bytes(pickle.dumps([1, 2], 2))
    with pytest.raises(EnforceNotMet, match="holds no dictionary of names"):
        fluid.load_dygraph(str(tmp_path / "net"))


def test_only_plain_values_are_written():
    with pytest.raises(EnforceNotMet, match="'net' is a object; only arrays and plain containers"):
        written({"net": object()})
    with pytest.raises(EnforceNotMet, match="array of object"):
        written({"net": np.array([None])})
