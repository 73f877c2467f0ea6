"""Callbacks that write curves for VisualDL and TensorBoard."""

import sys
import warnings

import pytest
from tests.hapi.digits import MODES, Digits, in_mode, prepared

from paddle.incubate.hapi.callbacks import TensorBoard, VisualDL
from refluid.core.errors import NotFoundError


def fit(board):
    model = prepared()
    model.fit(Digits(32), Digits(16), batch_size=8, epochs=2, verbose=0, callbacks=[board])


@pytest.mark.parametrize("mode", MODES)
def test_tensorboard_reads_what_a_training_wrote(mode, tmp_path):
    pytest.importorskip("tensorboard", reason="pip install 'refluid[viz]'", exc_type=ImportError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of TensorBoard's own imports
        board = TensorBoard(str(tmp_path))
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    with in_mode(mode):
        fit(board)
    events = EventAccumulator(str(tmp_path)).Reload()
    assert {"train/loss", "train/acc", "eval/loss"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("train/loss")] == list(range(8))
    assert [event.step for event in events.Scalars("eval/loss")] == [4, 8]


@pytest.mark.parametrize("mode", MODES)
def test_visualdl_reads_what_a_training_wrote(mode, tmp_path):
    pytest.importorskip("visualdl", reason="pip install 'refluid[viz]'", exc_type=ImportError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of VisualDL's own imports
        board = VisualDL(str(tmp_path))
        from visualdl import LogReader
    with in_mode(mode):
        fit(board)
    (path,) = tmp_path.glob("vdlrecords.*")
    records = LogReader(file_path=str(path))
    assert {"train/loss", "train/acc", "eval/loss"} <= set(records.get_tags()["scalar"])
    assert [record.id for record in records.get_data("scalar", "train/loss")] == list(range(8))


@pytest.mark.parametrize(("callback", "module"), [(VisualDL, "visualdl"), (TensorBoard, "torch.utils.tensorboard")])
def test_a_missing_package_is_told_before_the_training(callback, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotFoundError, match=rf"{callback.__name__}: .* pip install 'refluid\[viz\]'"):
        callback("./log")
