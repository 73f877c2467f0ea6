"""A save that is interrupted leaves the old files or the new ones, never a mixture."""

import contextlib
import os
import resource
import signal

import numpy as np
import pytest
from tests.saving.models import same, trained
from tests.saving.stages import in_a_process, killed_at_every_stage

import paddle.fluid as fluid
from refluid import checkpoint


def persistables(net, folder):
    fluid.io.save_persistables(net.exe, folder, net.main)


def combined(net, folder):
    fluid.io.save_persistables(net.exe, folder, net.main, filename="all")


def program_state(net, folder):
    fluid.save(net.main, os.path.join(folder, "model"))


def load(save, net, folder):
    if save is persistables:
        fluid.io.load_persistables(net.exe, folder, net.main)
    elif save is combined:
        fluid.io.load_persistables(net.exe, folder, net.main, filename="all")
    else:
        fluid.load(net.main, os.path.join(folder, "model"), net.exe)


@pytest.mark.parametrize("save", [persistables, combined, program_state])
def test_a_killed_save_leaves_old_or_new(save, tmp_path):
    net = trained()
    folder = str(tmp_path / "saved")
    save(net, folder)
    old = net.values()
    net.step()
    new = net.values()
    seen = []
    for stage in killed_at_every_stage(lambda: save(net, folder)):
        net.exe.run(net.startup)
        load(save, net, folder)
        found = net.values()
        assert same(found, old) or same(found, new), stage
        seen.append(same(found, new))
        if seen[-1]:  # put the old ones back for the next stage
            for name, value in old.items():
                fluid.global_scope().find_var(name).get_tensor().set(value, fluid.CPUPlace())
            save(net, folder)
        for name, value in new.items():
            fluid.global_scope().find_var(name).get_tensor().set(value, fluid.CPUPlace())
    assert len(seen) > 10 and not seen[0] and seen[-1]
    assert seen == sorted(seen), "after the deciding step a save is never undone"
    save(net, folder)
    assert not [name for name in os.listdir(folder) if name.startswith(".")], "what dead processes left is swept away"


def test_a_killed_inference_save_never_mixes_program_and_parameters(tmp_path):
    folder = str(tmp_path / "model")
    first, second = trained(), None
    fluid.io.save_inference_model(folder, ["x"], [first.out], first.exe, first.main)
    expected = [predict(folder)]
    with fluid.scope_guard(fluid.Scope()):
        second = trained(steps=5)
        expected.append(second.exe.run(second.main.clone(for_test=True), feed=first.feed, fetch_list=[second.out])[0])
        for _ in killed_at_every_stage(
            lambda: fluid.io.save_inference_model(folder, ["x"], [second.out], second.exe, second.main)
        ):
            got = predict(folder)
            assert any(np.allclose(got, one) for one in expected)


def predict(folder):
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, targets = fluid.io.load_inference_model(folder, exe)
        feed = {feeds[0]: np.linspace(-1, 1, 20, dtype="float32").reshape(5, 4)}
        return exe.run(program, feed=feed, fetch_list=targets)[0]


def test_a_killed_save_dygraph_leaves_a_whole_file(tmp_path):
    path = str(tmp_path / "net")
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        fluid.save_dygraph(layer.state_dict(), path)
        old = layer.weight.numpy()
        layer.weight.set_value(old + 1)
        for _ in killed_at_every_stage(lambda: fluid.save_dygraph(layer.state_dict(), path)):
            state, _ = fluid.load_dygraph(path)
            assert np.array_equal(state["weight"], old) or np.array_equal(state["weight"], old + 1)


def small_disk():
    """No file may grow beyond 60 bytes: writing fails as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))


@pytest.mark.parametrize("save", [persistables, combined, program_state])
def test_a_full_disk_is_an_error_that_leaves_the_old_files(save, tmp_path):
    net = trained()
    folder = str(tmp_path / "saved")
    save(net, folder)
    old = net.values()
    before = {name: (tmp_path / "saved" / name).read_bytes() for name in os.listdir(folder)}
    net.step()

    def attempt():
        try:
            save(net, folder)
        except OSError:
            return
        raise AssertionError("the save went through")

    assert in_a_process(attempt, small_disk) == 0
    assert {name: (tmp_path / "saved" / name).read_bytes() for name in os.listdir(folder)} == before
    load(save, net, folder)
    assert same(net.values(), old)


# -- the other saves: they write one value; a killed or failed one leaves it or the one before ----------------------


def checkpoint_file(folder, value):
    net = trained(steps=0)
    path = os.path.join(folder, "checkpoint")
    fill(net.main, value)

    def load():
        with fluid.scope_guard(fluid.Scope()):
            net.exe.run(net.startup)
            checkpoint.load(path, program=net.main)
            return only([np.array(fluid.global_scope().find_var(n).get_tensor()) for n in ("fc_0.w_0", "fc_1.w_0")])

    return lambda: checkpoint.save(path, program=net.main), load


def inference_model(folder, value):
    net = trained(steps=0)
    fill(net.main, value)
    save = lambda: fluid.io.save_inference_model(folder, ["x"], [net.out], net.exe, net.main, "m", "p")  # noqa: E731

    def load():
        with fluid.scope_guard(fluid.Scope()):
            fluid.io.load_inference_model(folder, net.exe, "m", "p")
            return only([np.array(fluid.global_scope().find_var(n).get_tensor()) for n in ("fc_0.w_0", "fc_1.w_0")])

    return save, load


def folder_of_1_5(folder, value):
    with fluid.unique_name.guard():
        layer = fluid.dygraph.Linear(30, 2)
    for parameter in layer.parameters():
        parameter.set_value(np.full(parameter.shape, value, "float32"))
    save = lambda: fluid.dygraph.save_persistables(layer.state_dict(), folder)  # noqa: E731
    return save, lambda: only([var.numpy() for var in fluid.dygraph.load_persistables(folder)[0].values()])


def state_of_a_layer(folder, value):
    layer = fluid.dygraph.Linear(30, 2)
    layer.weight.set_value(np.full([30, 2], value, "float32"))
    path = os.path.join(folder, "net")
    save = lambda: fluid.save_dygraph(layer.state_dict(), path)  # noqa: E731
    return save, lambda: only([fluid.load_dygraph(path)[0]["weight"]])


def operator(folder, value):
    program = fluid.Program()
    variables = [program.global_block().create_var(name=n, shape=[20], dtype="float32", persistable=True) for n in "ab"]
    fill(program, value, np.zeros(20))
    attrs = {"file_path": os.path.join(folder, "all")}
    program.global_block().append_op(type="save_combine", inputs={"X": variables}, attrs=attrs)

    def load():
        again = fluid.Program()
        found = [again.global_block().create_var(name=n, shape=[20], dtype="float32") for n in "cd"]
        again.global_block().append_op(type="load_combine", outputs={"Out": found}, attrs=attrs)
        return only(fluid.Executor().run(again, fetch_list=found))

    return lambda: fluid.Executor().run(program), load


def fill(program, value, start=None):
    for var in program.list_vars():
        if var.persistable:
            tensor = fluid.global_scope().var(var.name).get_tensor()
            old = np.array(tensor) if start is None else start
            tensor.set(np.full_like(old, value).astype("float32"), fluid.CPUPlace())


def only(arrays):
    """The one number that all of the arrays hold."""
    (value,) = {number for array in arrays for number in np.asarray(array).ravel().tolist()}
    return value


SAVES = [checkpoint_file, inference_model, folder_of_1_5, state_of_a_layer, operator]


def guard_of(kind):
    return fluid.dygraph.guard() if kind in (folder_of_1_5, state_of_a_layer) else contextlib.nullcontext()


@pytest.mark.parametrize("kind", SAVES)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_other_killed_saves_leave_old_or_new(kind, tmp_path, capsys):
    folder = str(tmp_path / "saved")
    with guard_of(kind):
        kind(folder, 1.0)[0]()
        save, load = kind(folder, 2.0)
        seen = [load() for _ in killed_at_every_stage(save)]
        save()
        assert set(seen) <= {1.0, 2.0} and seen[0] == 1.0 and load() == 2.0


@pytest.mark.parametrize("kind", SAVES)
def test_other_saves_on_a_full_disk_leave_the_old_files(kind, tmp_path, capsys):
    folder = str(tmp_path / "saved")
    with guard_of(kind):
        kind(folder, 1.0)[0]()
        save, load = kind(folder, 2.0)

        def attempt():
            try:
                save()
            except OSError:
                return
            raise AssertionError("the save went through")

        assert in_a_process(attempt, small_disk) == 0
        assert load() == 1.0


def test_a_file_where_the_folder_should_be_is_named(tmp_path):
    there = tmp_path / "model"
    there.write_text("mine")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        y = fluid.layers.fc(fluid.data("x", [None, 2]), 1)
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for target in (str(there), str(there / "deeper")):
            with pytest.raises(fluid.core.EnforceNotMet, match="cannot be a folder: a file of that name is there"):
                fluid.io.save_inference_model(target, ["x"], [y], exe, main)
            with pytest.raises(fluid.core.EnforceNotMet, match="cannot be a folder: a file of that name is there"):
                fluid.io.save_persistables(exe, target, main)
        with pytest.raises(fluid.core.EnforceNotMet, match="the folder must be a str, got bytes"):
            fluid.io.save_persistables(exe, b"folder", main)
    assert there.read_text() == "mine"
