import os

import pytest

from paddle.distributed.fs_wrapper import FS, LocalFS


@pytest.fixture
def fs():
    return LocalFS()


def test_folders_are_made_listed_moved_and_removed(fs, tmp_path):
    root = str(tmp_path)
    fs.mkdir(f"{root}/a/b")
    fs.mkdir(f"{root}/a/b")
    (tmp_path / "a" / "file").write_text("x")
    assert fs.list_dirs(f"{root}/a") == ["b"] and fs.ls_dir(f"{root}/a") == ["b", "file"]
    fs.mv(f"{root}/a", f"{root}/c")
    assert fs.stat(f"{root}/c/file") and not fs.stat(f"{root}/a") and fs.list_dirs(f"{root}/a") == []
    fs.rm(f"{root}/c/file")
    fs.delete(f"{root}/c/b")
    fs.rmr(f"{root}/c")
    fs.delete(f"{root}/gone")
    assert os.listdir(root) == []


def test_files_and_folders_are_copied(fs, tmp_path):
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "file").write_text("x")
    fs.upload(str(tmp_path / "from"), str(tmp_path / "to"))
    fs.download(str(tmp_path / "to" / "file"), str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_text() == "x" and not fs.need_upload_download()


def test_what_is_not_there_is_an_error(fs, tmp_path):
    for call in (fs.rm, fs.rmr, fs.ls_dir):
        with pytest.raises(FileNotFoundError):
            call(str(tmp_path / "gone"))


def test_a_file_system_has_all_functions():
    with pytest.raises(TypeError, match="abstract"):
        FS()
