"""What Python prints of an error that nobody has caught: the user's frames, unless every frame is asked for."""

import os
import subprocess
import sys
import threading

import pytest

from refluid.core import uncaught
from refluid.core.errors import ArgumentError
from refluid.core.uncaught import short

SIZE = """
import paddle.fluid as fluid

def network():
    x = fluid.data("x", [None, 4])
    return fluid.layers.fc(x, size="ten")
"""


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """What Python prints when a program fails."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REFLUID_TRACEBACK", raising=False)

    def run(program, **env):
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        script = tmp_path / "train.py"
        script.write_text(SIZE + program)
        with pytest.raises(Exception) as failed:
            exec(compile(script.read_text(), str(script), "exec"), {"__name__": "__main__"})
        error = failed.value
        error.__traceback__ = error.__traceback__.tb_next  # without this test's own frame
        uncaught._print(type(error), error, error.__traceback__)
        return capsys.readouterr().err

    return run


def test_an_uncaught_error_shows_the_lines_of_the_program_and_no_others(printed):
    text = printed("network()\n")
    assert 'train.py", line 7, in <module>' in text
    assert 'train.py", line 6, in network' in text
    assert text.count('  File "') == 2
    assert text.endswith(
        "ArgumentError: fc: size must be a positive int, got 'ten'\n"
        '  called  train.py:6, in network: return fluid.layers.fc(x, size="ten")\n'
    )


def test_every_frame_is_shown_when_it_is_asked_for(printed):
    assert os.path.join("refluid", "layers", "") in printed("network()\n", REFLUID_TRACEBACK="1")


def test_an_error_of_a_run_keeps_its_frames_for_those_who_ask(printed):
    program = "fluid.Executor().run(fetch_list=['nothing'])\n"
    assert "executor.py" not in printed(program)
    assert "executor.py" in printed(program, REFLUID_TRACEBACK="1")


def test_errors_of_the_program_itself_are_printed_as_ever(printed):
    text = printed("import json\njson.loads('{')\n")
    assert os.path.join("json", "decoder.py") in text
    assert "json.decoder.JSONDecodeError" in text


def test_an_error_of_a_reader_is_printed_without_the_engine_that_called_it(printed):
    program = """
import paddle

def samples():
    yield 1
    open("nowhere/data.txt")

for batch in paddle.batch(samples, 2)():
    pass
"""
    text = printed(program)
    assert [line.split(", in ")[1] for line in text.splitlines() if line.startswith("  File")] == [
        "<module>",
        "samples",
    ]
    assert "FileNotFoundError" in text.splitlines()[-1]


def test_a_reason_of_the_program_is_printed_above_the_error_and_one_of_the_engine_is_not(printed):
    text = printed("try:\n    {}['size']\nexcept KeyError:\n    network()\n")
    assert "KeyError: 'size'" in text and "During handling" in text
    text = printed("fluid.io.load_inference_model('nowhere', fluid.Executor())\n")
    assert "During handling" not in text and "above exception" not in text


def test_a_process_prints_so_from_any_thread_and_also_what_it_reads_from_a_pipe():
    program = SIZE + "import threading\none = threading.Thread(target=network)\none.start()\none.join()\nnetwork()\n"
    made = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "REFLUID_TRACEBACK": ""}
    ran = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, env=made)
    assert "Exception in thread Thread-1 (network)" in ran.stderr
    assert ran.stderr.count('"<stdin>", line 6, in network') == 2
    assert ran.stderr.count("  called  <stdin>:6, in network") == 2
    assert "refluid" + os.sep not in ran.stderr


def test_a_hook_that_was_there_before_is_left_alone(monkeypatch):
    def hook(*_):
        pass

    monkeypatch.setattr(sys, "excepthook", hook)
    monkeypatch.setattr(threading, "excepthook", hook)
    uncaught._install()
    assert sys.excepthook is hook and threading.excepthook is hook


def _failed():
    try:
        try:
            raise KeyError("inside")
        except KeyError as reason:
            raise ArgumentError("fc: too much") from reason
    except ArgumentError as error:
        return error


def test_an_error_is_as_before_once_it_is_printed(monkeypatch):
    monkeypatch.delenv("REFLUID_TRACEBACK", raising=False)
    error = _failed()
    trace, reason = error.__traceback__, error.__cause__
    with short(error):
        assert error.__cause__ is reason  # it comes out of this file, which is the user's here
    assert error.__traceback__ is trace and error.__cause__ is reason and error.__suppress_context__


def test_a_notebook_prints_without_the_engine(monkeypatch):
    class Shell:
        custom_exceptions = ()

        def set_custom_exc(self, kinds, handler):
            self.kinds, self.handler = kinds, handler

        def showtraceback(self, told, tb_offset=None):
            self.told = told

    class IPython:
        shell = Shell()
        get_ipython = classmethod(lambda cls: cls.shell)

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    uncaught._install()
    error = _failed()
    shell = IPython.shell
    assert isinstance(error, shell.kinds)
    shell.handler(shell, type(error), error, error.__traceback__, tb_offset=1)
    assert shell.told[:2] == (ArgumentError, error)


@pytest.mark.parametrize("value, shown", [("", False), ("0", False), ("1", True)])
def test_which_values_ask_for_every_frame(monkeypatch, value, shown):
    from refluid.core.tracebacks import shows_engine

    monkeypatch.setenv("REFLUID_TRACEBACK", value)
    assert shows_engine() is shown


def test_an_error_of_python_inside_the_engine_ends_with_the_line_of_the_program(printed):
    text = printed("fluid.Program.clone(5)\n")
    assert text.count('  File "') == 1 and "AttributeError: 'int' object" in text
    if sys.version_info >= (3, 11):  # notes below an error are new there
        assert "  called  train.py:7: fluid.Program.clone(5)\n" in text
    assert "program.py" in printed("fluid.Program.clone(5)\n", REFLUID_TRACEBACK="1")


def test_a_name_that_does_not_exist_is_told_as_python_tells_it(printed):
    for program in ("fluid.layers.fcc\n", "with fluid.dygraph.guard():\n    fluid.dygraph.Linear(4, 3).weigth\n"):
        text = printed(program)
        assert text.count('  File "') == 1 and "AttributeError" in text.splitlines()[-1]
