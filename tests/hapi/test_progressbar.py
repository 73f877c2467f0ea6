"""What is shown while a model runs, on a terminal and elsewhere."""

import io
import re

import numpy as np
import pytest
from tests.hapi.digits import Digits, in_mode, prepared

from paddle.incubate.hapi.callbacks import Callback, ProgBarLogger
from paddle.incubate.hapi.progressbar import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(verbose, file, num=4, updates=(1, 2, 3, 4)):
    bar = ProgressBar(num=num, width=8, verbose=verbose, file=file)
    for step in updates:
        bar.update(step, [("loss", [0.5, 2.0]), ("acc", 0.25)])
    return re.sub(r"\d+(us|ms|s)/step", "T/step", file.getvalue())


def test_a_line_for_every_update():
    lines = shown(2, io.StringIO()).splitlines()
    assert len(lines) == 4
    assert lines[1] == "step 2/4 - loss: 0.5000 2.0000 - acc: 0.2500 - T/step"


def test_a_bar_that_changes_on_a_terminal():
    text = shown(1, Terminal())
    assert text.count("\n") == 1 and text.endswith("\n")
    frames = text.strip("\n").split("\r")[1:]
    assert frames[1].startswith("step 2/4 [====>...] - loss: 0.5000")
    assert frames[3].startswith("step 4/4 [========] - ")


def test_the_last_update_alone_where_a_line_cannot_change():
    text = shown(1, io.StringIO())
    assert text == "step 4/4 - loss: 0.5000 2.0000 - acc: 0.2500 - T/step\n"


def test_silence():
    assert shown(0, Terminal()) == ""


def test_a_shorter_line_covers_a_longer_one():
    file = Terminal()
    bar = ProgressBar(num=3, verbose=1, file=file)
    bar.update(1, [("loss", 123456.0)])
    bar.update(2)
    frames = file.getvalue().split("\r")
    assert len(frames[2]) >= len(frames[1])


def test_an_unknown_number_of_steps():
    assert shown(2, io.StringIO(), num=None).splitlines()[2].startswith("step 3 - loss")


@pytest.mark.parametrize(
    ("value", "text"), [(1e-7, "1.0000e-07"), (0.0, "0.0000"), (3, "3"), (np.float32(2), "2.0000")]
)
def test_numbers(value, text):
    file = io.StringIO()
    ProgressBar(num=1, verbose=2, file=file).update(1, [("x", value)])
    assert f"x: {text} - " in file.getvalue()


def steps_of(text):
    return [re.match(r"step +(\d+)", line).group(1) for line in text.splitlines() if line.startswith("step")]


def test_a_training_shows_epochs_losses_and_metrics(capsys):
    prepared().fit(Digits(20), Digits(6), batch_size=4, epochs=2, log_freq=2)
    out = capsys.readouterr().out
    assert re.findall(r"Epoch \d/\d", out) == ["Epoch 1/2", "Epoch 2/2"]
    assert steps_of(out) == ["2", "4", "5", "2", "2", "4", "5", "2"]  # the last step is always shown
    assert re.search(r"step 5/5 - loss: [\d.e+]+ - acc: [\d.]+ - ", out)
    assert out.count("Evaluated samples: 6") == 2


def test_a_bar_leaves_one_line_an_epoch_in_a_file(capsys):
    prepared().fit(Digits(20), batch_size=4, epochs=2, log_freq=2, verbose=1)
    out = capsys.readouterr().out
    assert "\r" not in out and steps_of(out) == ["5", "5"]


def test_a_loader_of_unknown_length_shows_its_last_step(capsys):
    def batches():
        for start in range(5):
            image, label = Digits(8)[start]
            yield image[None], label[None]

    prepared().fit(batches, log_freq=2)
    assert steps_of(capsys.readouterr().out) == ["2", "4", "5"]
    prepared().fit(batches, log_freq=2, verbose=1)
    assert steps_of(capsys.readouterr().out) == ["5"]


def test_verbose_0_shows_nothing(capsys):
    model = prepared()
    model.fit(Digits(4), Digits(4), batch_size=2, verbose=0)
    model.evaluate(Digits(4), batch_size=2, verbose=0)
    assert capsys.readouterr().out == ""


def test_a_run_that_breaks_leaves_the_line_of_the_bar(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)

    class Broken(Callback):
        def on_train_batch_end(self, step, logs=None):
            raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        prepared().fit(Digits(8), batch_size=2, log_freq=1, verbose=1, callbacks=Broken())
    assert terminal.getvalue().endswith("\n")


def test_a_logger_of_ones_own_shows_numbers_of_its_own(capsys):
    class Perplexity(ProgBarLogger):
        def on_train_begin(self, logs=None):
            super().on_train_begin(logs)
            self.train_metrics += ["ppl"]
            self.train_metrics.remove("loss")
            assert self.params["metrics"] == ["loss", "acc"]

        def on_train_batch_end(self, step, logs=None):
            logs["ppl"] = 2.5
            super().on_train_batch_end(step, logs)

        def on_eval_begin(self, logs=None):
            super().on_eval_begin(logs)
            self.eval_metrics = ["acc"]

    with in_mode("imperative"):
        prepared().fit(Digits(4), Digits(4), batch_size=2, callbacks=Perplexity(1, verbose=2))
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "ppl: 2.5000" in line and "loss" not in line] == lines[1:3]
    assert [line for line in lines if "acc: " in line and "loss" not in line] == [*lines[1:3], *lines[4:6]]
