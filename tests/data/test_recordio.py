"""RecordIO: records come back, damage is noticed, programs read the files."""

import zlib

import numpy as np
import pytest
from tests.saving.test_fuzz import mutated

from paddle import fluid
from refluid.core.errors import DataFileError, EnforceNotMet, EOFException
from refluid.data.loading.py_reader import random_data_generator, read_file
from refluid.data.recordio import snappy
from refluid.data.recordio.records import Compressor, RecordWriter, convert, read_records, recordio
from refluid.saving.record_files import (
    convert_reader_to_recordio_file,
    convert_reader_to_recordio_files,
    open_files,
    read_tensors,
)

CPU = fluid.CPUPlace()


@pytest.fixture(autouse=True)
def program():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield


@pytest.mark.parametrize("compressor", Compressor)
def test_records_come_back(tmp_path, compressor):
    records = [bytes([i % 256]) * (i * 37 % 999) for i in range(25)]
    with open(tmp_path / "r", "wb") as file, RecordWriter(file, compressor, max_num_records=10) as writer:
        for record in records:
            writer.write(record)
    assert list(read_records(str(tmp_path / "r"))) == records


def test_the_layout_of_a_chunk(tmp_path):
    with open(tmp_path / "r", "wb") as file, RecordWriter(file, Compressor.NoCompress) as writer:
        writer.write(b"ab")
    payload = b"\x02\0\0\0ab"
    head = b"\x04\x03\x02\x01\x01\0\0\0" + zlib.crc32(payload).to_bytes(4, "little") + b"\0\0\0\0\x06\0\0\0"
    assert (tmp_path / "r").read_bytes() == head + payload


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"\x04\x03\x02\x01", "ends in the middle"), (b"x" * 40, "is no RecordIO file"), (None, "is damaged")],
)
def test_damage_is_noticed(tmp_path, content, says):
    path = tmp_path / "r"
    with open(path, "wb") as file, RecordWriter(file) as writer:
        writer.write(b"hello" * 10)
    whole = path.read_bytes()
    path.write_bytes(content if content is not None else whole[:-3] + b"!!!")
    with pytest.raises(ValueError, match=f"{path}.* {says}|{says.removeprefix('is ')}"):
        list(read_records(str(path)))


def test_snappy_reads_literals_and_copies():
    # "abcd", a copy of 4 from 4 back, and one of 10 from 2 back that runs into itself
    block = bytes([18, 3 << 2]) + b"abcd" + bytes([0 << 2 | 1, 4]) + bytes([9 << 2 | 2, 2, 0])
    frame = (len(block) + 4).to_bytes(3, "little")
    framed = b"\xff\x06\x00\x00sNaPpY" + b"\x00" + frame + bytes(4) + block
    assert snappy.decompress(framed) == b"abcdabcd" + b"cd" * 5
    assert snappy._checksum(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF
    with pytest.raises(ValueError, match="a copy from 9 bytes back, but there are 4"):
        snappy._unpack(bytes([8, 3 << 2]) + b"abcd" + bytes([1, 9]))
    long = bytes(range(256)) * 1000
    assert snappy.decompress(snappy.compress(long)) == long


def test_converted_samples_come_back(tmp_path):
    convert(str(tmp_path), lambda: iter(range(7)), 3, "part")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["part-00000", "part-00001", "part-00002"]
    assert list(recordio([str(tmp_path / name) for name in names])()) == list(range(7))
    assert list(recordio(f"{tmp_path}/part-00002")()) == [6]


def written(tmp_path, per_file=None):
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1])
    feeder = fluid.DataFeeder([words, label], CPU)
    path = str(tmp_path / "train.recordio")

    def batches():
        for i in range(3):
            yield [([i, i + 1], i), ([i], 1)]

    if per_file is None:
        return path, convert_reader_to_recordio_file(path, batches, feeder)
    return path, convert_reader_to_recordio_files(path, per_file, batches, feeder)


def test_programs_read_files_of_tensors(tmp_path):
    path, count = written(tmp_path)
    assert count == 3
    reader = open_files([path], shapes=[[-1, 1], [-1, 1]], lod_levels=[1, 0], dtypes=["int64", "float32"], pass_num=2)
    words, label = read_file(reader)
    total = fluid.layers.reduce_sum(label)
    exe, seen = fluid.Executor(CPU), []
    with pytest.raises(EOFException):
        while True:
            fetched, value = exe.run(fetch_list=[words, total], return_numpy=False)
            seen.append((np.array(fetched).ravel().tolist(), fetched.lod(), float(np.array(value)[0])))
    assert seen[:3] == seen[3:] == [([i, i + 1, i], [[0, 2, 3]], i + 1.0) for i in range(3)]
    reader.reset()
    assert len(exe.run(fetch_list=[total])) == 1
    reader.reset()


def test_files_of_a_few_records(tmp_path):
    _, counts = written(tmp_path, per_file=2)
    assert counts == [2, 1]
    assert (tmp_path / "train-00001.recordio").exists()
    with pytest.raises(ValueError, match="must end in .recordio, got 'x'"):
        convert_reader_to_recordio_files("x", 1, lambda: iter(()), None)


def test_random_data():
    reader = random_data_generator(2.0, 3.0, [[4, 3], [4, 1]], [0, 0])
    x, y = read_file(reader)
    first, second = fluid.Executor(CPU).run(fetch_list=[x, y])
    assert first.shape == (4, 3) and second.shape == (4, 1) and 2 <= first.min() <= first.max() <= 3
    reader.reset()
    with pytest.raises(ValueError, match="shapes must be whole"):
        random_data_generator(0, 1, [[-1, 3]], [0])


def test_records_are_written_tensor_by_tensor(tmp_path):
    kind = fluid.core.RecordIOWriter.Compressor.Gzip
    with fluid.core.RecordIOWriter(str(tmp_path / "file"), kind, 2) as writer:
        for i in range(3):
            for value in (i, -i):
                tensor = fluid.LoDTensor()
                tensor.set(np.full((2, 1), value, "float32"), fluid.CPUPlace())
                writer.append_tensor(tensor)
            writer.complete_append_tensor()
    records = [[float(np.array(one)[0, 0]) for one in record] for record in read_tensors(str(tmp_path / "file"))]
    assert records == [[0, 0], [1, -1], [2, -2]]


def test_a_program_loads_a_variable(tmp_path):
    exe = fluid.Executor(fluid.CPUPlace())
    w = fluid.layers.create_global_var([3], 2.5, "float32", persistable=True, name="w")
    exe.run(fluid.default_startup_program())
    fluid.io.save_vars(exe, str(tmp_path), vars=[w])
    with fluid.program_guard(fluid.Program()):
        out = fluid.default_main_program().global_block().create_var(name="out", shape=[3], dtype="float32")
        fluid.layers.load(out, str(tmp_path / "w"))
        assert exe.run(fetch_list=[out])[0].tolist() == [2.5] * 3


@pytest.mark.parametrize("compressor", Compressor)
@pytest.mark.parametrize("inside", [False, True], ids=["file", "records with a right checksum"])
def test_damaged_files_of_tensors_give_tensors_or_an_error_with_their_path(tmp_path, compressor, inside):
    path, _ = written(tmp_path)
    records = list(read_records(path))
    random = np.random.RandomState(5)
    bad, refused = tmp_path / "bad", 0
    for _ in range(500):
        with open(bad, "wb") as file, RecordWriter(file, compressor) as writer:
            for record in records:
                writer.write(mutated(record, random) if inside else record)
        if not inside:
            bad.write_bytes(mutated(bad.read_bytes(), random))
        try:
            list(read_tensors(str(bad)))
        except EnforceNotMet as error:
            refused += 1
            assert str(bad) in str(error)
    assert refused > 400


@pytest.mark.parametrize(
    "at, number, says",
    [(12, 7, "cannot be unpacked .*7 is not a valid Compressor"), (4, 2, "should have 2 records and ends inside one")],
)
def test_a_chunk_with_a_wrong_head_is_refused(tmp_path, at, number, says):
    path = tmp_path / "r"
    with open(path, "wb") as file, RecordWriter(file, Compressor.NoCompress) as writer:
        writer.write(b"hello")
    whole = bytearray(path.read_bytes())
    whole[at : at + 4] = number.to_bytes(4, "little")
    path.write_bytes(whole)
    with pytest.raises(DataFileError, match=f"{path}.*{says}"):
        list(read_records(str(path)))
