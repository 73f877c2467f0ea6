"""The profiler times the operators of both modes, and leaves no trace when it is off."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from paddle import fluid
from paddle.fluid import profiler
from refluid.diagnostics import report
from refluid.eager import backward, grad
from refluid.eager.tape import Tape
from refluid.executor.plan import Plan

X = np.ones((2, 4), "float32")


@pytest.fixture
def train():
    """One step of a small training; built once."""
    with (
        fluid.program_guard(fluid.Program(), fluid.Program()),
        fluid.unique_name.guard(),
        fluid.scope_guard(fluid.Scope()),
    ):
        x = fluid.data("x", [-1, 4])
        loss = fluid.layers.mean(fluid.layers.fc(x, 3, act="softmax"))
        fluid.optimizer.SGD(0.1).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        yield lambda feed=X: exe.run(feed={"x": feed}, fetch_list=[loss])[0]


def rows(text: str) -> dict[str, list[float]]:
    """{operator: its numbers} of a printed table, in its order."""
    found = [line.removeprefix("thread0::") for line in text.splitlines() if line.startswith("thread0::")]
    return {" ".join(line.split()[:-6]): [float(number) for number in line.split()[-6:]] for line in found}


def test_operators_of_a_program_are_counted_and_timed(train, tmp_path, capsys):
    with profiler.profiler("CPU", "total", str(tmp_path / "profile")):
        for _ in range(3):
            train()
    text = capsys.readouterr().out
    assert "Profiling Report" in text and "Sorted by total time" in text
    found = rows(text)
    assert {"softmax", "mean", "mul_grad"} <= found.keys()
    for calls, total, shortest, longest, average, _ in found.values():
        assert calls == 3 and 0 < shortest <= average <= longest <= total
    totals = [numbers[1] for numbers in found.values()]
    assert totals == sorted(totals, reverse=True)


def test_the_timeline_opens_in_a_trace_viewer(train, tmp_path):
    with profiler.profiler("CPU", profile_path=str(tmp_path / "profile")):
        train()
    named, *events = json.loads((tmp_path / "profile").read_text())["traceEvents"]
    assert named["ph"] == "M" and named["args"] == {"name": "thread 0"}
    (run,) = [event for event in events if event["cat"] == "run"]
    inside = [event for event in events if event["cat"] == "operator"]
    assert inside and all(event["ph"] == "X" for event in events)
    assert all(run["ts"] <= event["ts"] and event["dur"] <= run["dur"] for event in inside)


def ends(event):
    return event["ts"] + event["dur"]


def under_lines(path):
    """{name of an operator: the line it lies under}; every slice lies in those that it overlaps."""
    events = [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]
    open_slices, found = [], {}
    for event in events:
        while open_slices and ends(open_slices[-1]) <= event["ts"] + 1e-6:
            open_slices.pop()
        assert not open_slices or ends(event) <= ends(open_slices[-1]) + 1e-6, (event, open_slices[-1])
        if event["cat"] == "operator":
            assert open_slices[-1]["cat"] == "line" and event["args"]["line"] == open_slices[-1]["name"]
            found[event["name"]] = open_slices[-1]["name"]
        open_slices.append(event)
    return found


def line_of(text):
    numbers = [number for number, line in enumerate(Path(__file__).read_text().splitlines(), 1) if text in line]
    return f"test_profiler.py:{numbers[0]}"


def test_operators_of_a_program_lie_under_the_lines_that_built_them(train, tmp_path):
    with profiler.profiler("CPU", profile_path=str(tmp_path / "profile")):
        train()
        train()
    found = under_lines(tmp_path / "profile")
    built = line_of("loss = fluid.layers.mean(fluid.layers.fc(x, 3")
    assert found["mean"] == found["softmax"] == found["mul_grad"] == built
    assert found["sgd_all"] == line_of("fluid.optimizer.SGD(0.1).minimize(loss)")


def test_operators_of_the_imperative_mode_lie_under_the_lines_that_call_them(tmp_path):
    with fluid.dygraph.guard(), profiler.profiler("CPU", profile_path=str(tmp_path / "profile")):
        linear = fluid.dygraph.Linear(4, 3)
        sgd = fluid.optimizer.SGD(0.1, parameter_list=linear.parameters())
        for _ in range(2):
            loss = fluid.layers.mean(fluid.layers.tanh(linear(fluid.dygraph.to_variable(X))))
            loss.backward()  # here the gradients
            sgd.minimize(loss)  # here the update
    found = under_lines(tmp_path / "profile")
    assert found["tanh"] == found["mean"] == line_of("fluid.layers.mean(fluid.layers.tanh(")
    assert found["tanh_grad"] == line_of("# here the gradients")
    assert found["sgd_all"] == line_of("# here the update")


@pytest.mark.parametrize(
    ("key", "column", "words"),
    [
        ("calls", 0, "number of calls"),
        ("total", 1, "total time"),
        ("min", 2, "minimum time"),
        ("max", 3, "maximum time"),
        ("ave", 4, "average time"),
    ],
)
def test_the_table_is_sorted_as_asked(train, key, column, words, tmp_path, capsys):
    profiler.start_profiler("CPU")
    for _ in range(3):
        train()
    profiler.stop_profiler(key, str(tmp_path / "profile"))
    text = capsys.readouterr().out
    assert f"Sorted by {words} in descending order" in text
    numbers = [row[column] for row in rows(text).values()]
    assert len(numbers) > 3 and numbers == sorted(numbers, reverse=True)


def test_a_timeline_that_cannot_be_written_is_told(train, tmp_path):
    profiler.start_profiler("CPU")
    with pytest.raises(RuntimeError, match="stop_profiler: the timeline cannot be written to profile_path .*nowhere"):
        profiler.stop_profiler(None, str(tmp_path / "nowhere" / "profile"))
    profiler.stop_profiler()  # it has ended all the same


def test_calls_gradients_and_updates_of_the_imperative_mode_are_timed(tmp_path, capsys):
    with fluid.dygraph.guard():
        linear = fluid.dygraph.Linear(4, 3)
        sgd = fluid.optimizer.SGD(0.1, parameter_list=linear.parameters())
        with profiler.profiler("All", "calls", str(tmp_path / "profile")):
            for _ in range(2):
                loss = fluid.layers.mean(fluid.layers.tanh(linear(fluid.dygraph.to_variable(X))))
                loss.backward()
                sgd.minimize(loss)
    found = rows(capsys.readouterr().out)
    assert {"tanh", "mean", "tanh_grad", "mean_grad", "sgd_all"} <= found.keys()
    assert all(numbers[0] == 2 for numbers in found.values())


def test_results_are_the_same_and_nothing_stays_behind(train, tmp_path, capsys):
    before = Plan.run, Tape.run, backward._pass_on, grad._gradients
    train()
    (plan,) = [p for p in fluid.default_main_program().plans.values() if isinstance(p, Plan)]
    function = plan.function
    with profiler.profiler("CPU", profile_path=str(tmp_path / "profile")):
        assert train().shape == (1,) and plan.function is not function
    assert (Plan.run, Tape.run, backward._pass_on, grad._gradients) == before
    assert plan.function is function
    capsys.readouterr()
    train()
    profiler.stop_profiler()
    assert capsys.readouterr().out == ""


def test_details_tell_lines_and_shapes_apart(train, tmp_path, capsys):
    for option in ("OpDetail", "AllOpDetail"):
        profiler.start_profiler("CPU", option)
        train()
        train(np.ones((5, 4), "float32"))
        profiler.stop_profiler("ave", str(tmp_path / "profile"))
    lines = [line.split()[0:4] for line in capsys.readouterr().out.splitlines() if "::softmax " in line]
    assert all(line[1].startswith("test_profiler.py:") for line in lines)
    assert len(lines) == 3  # one of both shapes, then one each


def test_reset_forgets_and_a_second_start_changes_nothing(train, tmp_path, capsys):
    profiler.start_profiler("CPU")
    profiler.start_profiler("CPU")
    train()
    profiler.reset_profiler()
    train()
    profiler.stop_profiler("calls", str(tmp_path / "profile"))
    assert all(numbers[0] == 1 for numbers in rows(capsys.readouterr().out).values())


def test_a_failure_inside_is_told_as_ever_and_ends_the_profile(tmp_path):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [-1, 4])
        pairs = fluid.layers.reshape(x, [-1, 8])
        exe = fluid.Executor(fluid.CPUPlace())
        with pytest.raises(ValueError, match=r"reshape2: .*\n(.*\n)*.*built.*test_profiler.py"):
            with profiler.profiler("CPU", profile_path=str(tmp_path / "profile")):
                exe.run(feed={"x": np.ones((3, 4), "float32")}, fetch_list=[pairs])
        assert (tmp_path / "profile").exists()
        assert exe.run(feed={"x": X}, fetch_list=[pairs])[0].shape == (1, 8)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: profiler.start_profiler("TPU"), "state must be one of CPU, GPU, All, got 'TPU'"),
        (lambda: profiler.start_profiler("CPU", "Some"), "tracer_option must be one of Default, OpDetail, AllOpDetail"),
        (lambda: profiler.stop_profiler("size"), "sorted_key must be one of .*'ave', got 'size'"),
        (lambda: profiler.cuda_profiler("file", "xml").__enter__(), "output_mode must be 'kvp' or 'csv', got 'xml'"),
    ],
)
def test_unknown_settings_are_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.skipif(torch.cuda.is_available(), reason="tells what happens without CUDA")
def test_cuda_profiler_needs_cuda():
    with pytest.raises(RuntimeError, match="there is no CUDA device"), profiler.cuda_profiler("file"):
        pass


def test_kernels_are_written_as_values_or_as_pairs():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        torch.ones(3).add(1)
    averages = profile.key_averages()
    assert '"aten::add",1,' in report.kernels(averages, "csv")
    assert "name=aten::add calls=1 microseconds=" in report.kernels(averages, "kvp")


def test_the_profiler_of_1_5_prints_the_slowest_first(capsys):
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(X)
        fluid.dygraph.start_gperf_profiler()
        fluid.layers.mean(fluid.layers.tanh(x))
        fluid.dygraph.base.stop_gperf_profiler()
    assert {"tanh", "mean"} <= rows(capsys.readouterr().out).keys()
