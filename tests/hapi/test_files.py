"""Saving and loading models: exact resumption, other shapes, files that do not fit, no half files."""

import copy
import os
import pickle
import re
import warnings

import numpy as np
import pytest
from tests.hapi.digits import MODES, Digits, batch, in_mode, inputs, prepared

import paddle.fluid as fluid
from paddle.incubate.hapi.callbacks import ModelCheckpoint
from paddle.incubate.hapi.vision.models import LeNet

OPTIMIZERS = {
    "adam": lambda params: fluid.optimizer.Adam(0.002, parameter_list=params),
    "momentum": lambda params: fluid.optimizer.Momentum(0.01, 0.9, parameter_list=params, name="mine"),
    "sgd": lambda params: fluid.optimizer.SGD(0.01, parameter_list=params),
}


def learner(kind="adam"):
    model = LeNet()
    return prepared(model, OPTIMIZERS[kind](model.parameters()))


def trained(model, first, last):
    return [model.train_batch(*[[value] for value in batch(8, 8 * i)])[0][0][0] for i in range(first, last)]


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("early", [False, True], ids=["after-prepare", "before-prepare"])
def test_a_resumed_training_goes_on_as_if_nothing_had_been(kind, mode, early, tmp_path):
    path = str(tmp_path / "middle")
    with in_mode(mode):
        model = learner(kind)
        trained(model, 0, 3)
        model.save(path)
        expected = trained(model, 3, 6)
        # The names of the second model's parameters differ: layers are counted.
        again = LeNet()
        optimizer = OPTIMIZERS[kind](again.parameters())
        if early:
            again.load(path)
        prepared(again, optimizer)
        if not early:
            trained(again, 0, 1)
            again.load(path)
        assert trained(again, 3, 6) == expected


@pytest.mark.parametrize("mode", MODES)
def test_a_checkpoint_of_one_mode_goes_on_in_the_other(mode, tmp_path):
    path = str(tmp_path / "middle")
    with in_mode(mode):
        model = learner()
        trained(model, 0, 3)
        model.save(path)
        expected = trained(model, 3, 6)
    with in_mode(*set(MODES) - {mode}):
        model = learner()
        model.load(path)
        np.testing.assert_allclose(trained(model, 3, 6), expected, rtol=1e-5)


def schedule(mode):
    if mode == "imperative":
        return fluid.dygraph.PiecewiseDecay([2, 4], [0.01, 0.005, 0.001], begin=0)
    return fluid.layers.piecewise_decay([2, 4], [0.01, 0.005, 0.001])


@pytest.mark.parametrize("mode", MODES)
def test_a_schedule_goes_on_where_it_was(mode, tmp_path):
    path = str(tmp_path / "middle")

    def scheduled():
        model = LeNet()
        return prepared(model, fluid.optimizer.SGD(schedule(mode), parameter_list=model.parameters()))

    with in_mode(mode):
        model = scheduled()
        trained(model, 0, 3)
        model.save(path)
        expected = trained(model, 3, 7)
    with in_mode(mode):
        model = scheduled()
        model.load(path)
        assert trained(model, 3, 7) == expected


@pytest.mark.parametrize("kind", ["momentum", "adam"])
@pytest.mark.parametrize("saved_in", MODES)
@pytest.mark.parametrize("mode", MODES)
def test_back_to_before_the_first_step(kind, saved_in, mode, tmp_path):
    with in_mode(saved_in):
        model = learner(kind)
        model.save(str(tmp_path / "start"))
        expected = trained(model, 0, 3)
        if mode == saved_in:
            model.load(str(tmp_path / "start"))
            assert trained(model, 0, 3) == expected
    with in_mode(mode):
        model = learner(kind)
        trained(model, 0, 2)
        model.load(str(tmp_path / "start"))
        np.testing.assert_allclose(trained(model, 0, 3), expected, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_reset_optimizer_begins_with_a_new_one(mode, tmp_path):
    path = str(tmp_path / "middle")
    with in_mode(mode):
        model = learner()
        trained(model, 0, 5)
        model.save(path)
        kept = trained(model, 5, 7)
    with in_mode(mode):
        model = learner()
        model.load(path, reset_optimizer=True)
        fresh = trained(model, 5, 7)
        model.load(path, reset_optimizer=True)
        assert trained(model, 5, 7) == fresh  # what was gathered since is forgotten
        os.remove(path + ".pdopt")
        model.load(path)
        assert trained(model, 5, 7) == fresh
    assert fresh[0] == kept[0] and fresh[1] != kept[1]


def test_files_are_those_of_save_dygraph(tmp_path):
    with in_mode("imperative"):
        model = learner()
        trained(model, 0, 2)
        model.save(str(tmp_path / "model"))
        params, optimizer = fluid.load_dygraph(str(tmp_path / "model"))
        assert set(params) == set(model.state_dict())
        assert set(optimizer) == set(model._optimizer.state_dict())
        fluid.save_dygraph(model.state_dict(), str(tmp_path / "other"))
        LeNet().load(str(tmp_path / "other"))


def test_files_of_fluid_save_are_read_too(tmp_path):
    model = prepared()
    trained(model, 0, 2)
    fluid.save(model._runner.training_program, str(tmp_path / "saved"))
    expected = trained(model, 2, 4)
    model.load(str(tmp_path / "saved"))
    assert trained(model, 2, 4) == expected


def test_a_model_without_an_optimizer_has_no_optimizer_file(tmp_path):
    model = LeNet()
    model.prepare(inputs=inputs())
    model.save(str(tmp_path / "folder" / "model"))
    assert os.listdir(tmp_path / "folder") == ["model.pdparams"]


@pytest.mark.parametrize("mode", MODES)
def test_checkpoints_of_fit(mode, tmp_path):
    with in_mode(mode):
        model = prepared()
        model.fit(Digits(8), batch_size=4, epochs=3, save_dir=str(tmp_path), save_freq=2, verbose=0)
        assert sorted(os.listdir(tmp_path)) == sorted(
            f"{name}.{kind}" for name in ("0", "2", "final") for kind in ("pdopt", "pdparams")
        )
        (last,) = model.test_batch([batch()[0]])
        model.fit(Digits(8), batch_size=4, verbose=0)
        model.load(str(tmp_path / "final"))
        assert np.array_equal(model.test_batch([batch()[0]])[0], last)


@pytest.mark.parametrize("mode", MODES)
def test_what_does_not_fit_is_an_error_and_changes_nothing(mode, tmp_path):
    with in_mode(mode):
        prepared(LeNet(num_classes=7)).save(str(tmp_path / "seven"))
        model = prepared()
        (before,) = model.test_batch([batch()[0]])
        with pytest.raises(RuntimeError, match=r"fc.2.weight +has the shape \[84, 7\], expected \[84, 10\]"):
            model.load(str(tmp_path / "seven"))
        assert np.array_equal(model.test_batch([batch()[0]])[0], before)


@pytest.mark.parametrize("mode", MODES)
def test_skip_mismatch_loads_what_fits(mode, tmp_path):
    with in_mode(mode):
        seven = prepared(LeNet(num_classes=7))
        seven.save(str(tmp_path / "seven"))
        model = prepared()
        with pytest.warns(UserWarning, match=r"fc.2.(weight|bias) keeps its value"):
            model.load(str(tmp_path / "seven"), skip_mismatch=True, reset_optimizer=True)
        from refluid.hapi.state import value_of

        mine, its = ({name: value_of(var) for name, var in one.state_dict().items()} for one in (model, seven))
        same = {name for name in mine if np.array_equal(mine[name], its[name])}
        assert same == set(mine) - {"fc.2.weight", "fc.2.bias"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("early", [True, False])
def test_skip_mismatch_goes_for_the_optimizer_too(mode, early, tmp_path):
    images, digits = batch()
    with in_mode(mode):
        model = prepared()
        model.train_batch([images], [digits])
        model.save(str(tmp_path / "ten"))
    with in_mode(mode):
        model = LeNet(num_classes=12)
        model = model if early else prepared(model)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.load(str(tmp_path / "ten"), skip_mismatch=True)
            model = prepared(model) if early else model
        assert [str(one.message) for one in told if "saved optimizer does not match" in str(one.message)]
        losses = [model.train_batch([images], [digits])[0][0] for _ in range(10)]
        assert losses[-1] < losses[0]


@pytest.mark.parametrize("mode", MODES)
def test_the_optimizer_of_another_kind_is_refused(mode, tmp_path):
    with in_mode(mode):
        model = learner("momentum")
        trained(model, 0, 1)
        model.save(str(tmp_path / "momentum"))
        other = learner("adam")
        (before,) = other.test_batch([batch()[0]])
        with pytest.raises(RuntimeError, match="does not match this AdamOptimizer; give reset_optimizer=True"):
            other.load(str(tmp_path / "momentum"))
        assert np.array_equal(other.test_batch([batch()[0]])[0], before)


def test_files_that_are_not_there_or_not_ours(tmp_path):
    model = prepared()
    with pytest.raises(ValueError, match="load: there is no file '.*nowhere.pdparams'"):
        model.load(str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="save: model_path must be folder/name"):
        model.save(str(tmp_path) + "/")
    (tmp_path / "evil.pdparams").write_bytes(pickle.dumps(re.compile("a")))
    with pytest.raises(RuntimeError, match="evil.pdparams"):
        model.load(str(tmp_path / "evil"))


def test_a_save_that_fails_leaves_the_old_files_and_no_others(tmp_path, monkeypatch):
    model = prepared()
    model.save(str(tmp_path / "model"))
    old = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    trained(model, 0, 1)
    from refluid.hapi import state

    def full(value, file, write=state.write_pickle):
        write(value, file)
        if len(value) > 12:  # the optimizer, which comes second
            raise OSError("No space left on device")

    monkeypatch.setattr(state, "write_pickle", full)
    with pytest.raises(OSError, match="No space left"):
        model.save(str(tmp_path / "model"))
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == old


def test_a_checkpoint_that_fails_stops_the_training(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(fluid.core.EnforceNotMet, match="cannot be a folder: a file of that name is there"):
        prepared().fit(Digits(4), batch_size=4, verbose=0, callbacks=ModelCheckpoint(1, str(tmp_path / "file")))


@pytest.mark.parametrize("mode", MODES)
def test_an_inference_model_gives_the_same_outputs(mode, tmp_path):
    images = batch()[0]
    with in_mode(mode):
        model = prepared()
        trained(model, 0, 2)
        (expected,) = model.test_batch([images])
        model.save_inference_model(str(tmp_path / "separate"))
        model.save_inference_model(str(tmp_path / "combined"), model_filename="model", params_filename="params")
        assert trained(model, 2, 3) and model.training  # it goes on
    assert sorted(os.listdir(tmp_path / "combined")) == ["model", "params"]
    with in_mode("static"):
        exe = fluid.Executor()
        for args in (["separate"], ["combined", "model", "params"]):
            program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / args[0]), exe, *args[1:])
            assert feeds == ["image"]
            for count in (8, 3):
                got = exe.run(program, {"image": images[:count]}, fetches)[0]
                np.testing.assert_allclose(got, expected[:count], rtol=1e-5, atol=1e-7)


def test_the_imperative_mode_must_know_the_inputs_to_save_for(tmp_path):
    with in_mode("imperative"):
        model = LeNet()
        model.prepare()
        with pytest.raises(ValueError, match=r"prepare\(\) must be given inputs"):
            model.save_inference_model(str(tmp_path))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_shared_is_known_by_any_of_its_names(mode, tmp_path):
    class Again(LeNet):
        def __init__(self):
            super().__init__()
            self.again = self.fc  # a second name, which the file does not have

    images, digits = batch()
    with in_mode(mode):
        model = prepared()
        model.train_batch([images], [digits])
        model.save(str(tmp_path / "one"))
        expected = [model.train_batch([images], [digits])[0][0] for _ in range(2)]
    with in_mode(mode):
        model = prepared(Again())
        model.load(str(tmp_path / "one"))
        assert [model.train_batch([images], [digits])[0][0] for _ in range(2)] == expected
        model.save(str(tmp_path / "two"))
        model.load(str(tmp_path / "two"))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_of_a_model_train_on_their_own(copied, tmp_path):
    with in_mode("imperative"):
        model = learner()
        trained(model, 0, 3)
        other = copied(model)
        expected = trained(model, 3, 6)
        assert trained(other, 3, 6) == expected
        other.save(str(tmp_path / "copy"))
        model.load(str(tmp_path / "copy"))
        assert trained(model, 6, 8) == trained(other, 6, 8)


def test_models_of_programs_cannot_be_copied():
    with in_mode("static"):
        with pytest.raises(RuntimeError, match=r"LeNet: a model of the static mode cannot be copied .* save\(\) it"):
            copy.deepcopy(learner())
