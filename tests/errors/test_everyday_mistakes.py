"""The everyday mistakes: each is refused or told, by name, with what was expected, what came, and the user's line."""

import contextlib
import os
import warnings

import pytest

import paddle.fluid as fluid
from tests.errors.mistakes import building, imperative, reading, running, saving, table, training  # noqa: F401


@pytest.mark.parametrize("one", table.ALL, ids=[one.program.__name__ for one in table.ALL])
def test_a_mistake_is_told_with_everything_that_helps(one, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with warnings.catch_warnings(record=True) as warned, contextlib.ExitStack() as around:
        warnings.simplefilter("always")
        if one.imperative:
            around.enter_context(fluid.dygraph.guard())
        if one.warned:
            one.program()
            (told,) = (found for found in warned if one.names in str(found.message))
            text = str(told.message)
            assert (told.filename, told.lineno) == (one.program.__code__.co_filename, one.line)
        else:
            with pytest.raises(fluid.core.EnforceNotMet) as refused:
                one.program()
            *rows, last = str(refused.value).splitlines()
            text = "\n".join(rows)  # the last has the source, which says everything by itself
            assert f"{os.path.basename(one.program.__code__.co_filename)}:{one.line}" in last
    assert one.names in text
    for words in (one.expected, one.got):
        assert words in text


def test_there_are_as_many_mistakes_as_users_make_in_a_week():
    assert len(table.ALL) >= 72
