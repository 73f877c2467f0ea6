"""Readers of arrays, files and the output of programs."""

import gzip

import numpy as np
import pytest

from paddle import reader as R


def test_np_array_yields_rows():
    assert [row.tolist() for row in R.creator.np_array([[1, 2], [3, 4]])()] == [[1, 2], [3, 4]]
    assert list(R.creator.np_array(np.arange(3))()) == [0, 1, 2]
    assert list(R.creator.np_array(5)()) == [5]


def test_text_file_yields_lines_without_their_breaks(tmp_path):
    path = tmp_path / "poem.txt"
    path.write_text("one\n\nthree", encoding="utf-8")
    assert list(R.creator.text_file(str(path))()) == ["one", "", "three"]


@pytest.mark.parametrize("bufsize", [1, 3, 8192])
def test_pipe_reader_cuts_lines_wherever_the_pieces_end(tmp_path, bufsize):
    text = "Ă first\nsecond\n\nlast"
    plain, packed = tmp_path / "a.txt", tmp_path / "a.gz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode("utf-8")))
    assert list(R.PipeReader(f"cat {plain}", bufsize).get_line()) == text.split("\n")
    assert list(R.PipeReader(f"cat {packed}", bufsize, "gzip").get_line()) == text.split("\n")


def test_pipe_reader_gives_pieces_and_may_be_left_early():
    pieces = R.PipeReader("yes", bufsize=4).get_line(cut_lines=False)
    assert next(pieces) == "y\ny\n"
    pieces.close()


def test_pipe_reader_names_what_went_wrong():
    with pytest.raises(RuntimeError, match="'false' ended with exit code 1"):
        list(R.PipeReader("false").get_line())
    with pytest.raises(TypeError, match="file_type must be 'plain' or 'gzip', got 'zip'"):
        R.PipeReader("cat", file_type="zip")
    with pytest.raises(TypeError, match="command must be a string, got list"):
        R.PipeReader(["cat"])


def test_fake_repeats_the_first_sample():
    fake = R.Fake()(lambda: iter([7, 8]), 3)
    assert list(fake()) == list(fake()) == [7, 7, 7]
