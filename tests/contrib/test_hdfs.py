"""HDFSClient against a stand-in for Hadoop's command, which keeps its files in a local folder."""

import os

import pytest

from paddle.fluid.contrib import HDFSClient, multi_download, multi_upload

HADOOP = r"""#!/bin/bash
# hadoop fs -Dhome=FOLDER COMMAND ...: paths are below FOLDER
shift
root=${1#-Dhome=}; shift
command=$1; shift
echo "$command $*" >> "$root.log"
case $command in
  -test) test "$1" "$root$2" ;;
  -mkdir) mkdir -p "$root$2" ;;
  -put) cp "$1" "$root$2/" ;;
  -get) cp "$root$1" "$2/" ;;
  -rm) for path; do :; done; rm -r "$root$path" ;;
  -mv) mv "$root$1" "$root$2" ;;
  -ls)
    depth=1; if [ "$1" = -R ]; then depth=99; shift; fi
    echo "Found some items"
    find "$root$1" -mindepth 1 -maxdepth $depth -printf '%y %M\t1 owner group %s %TY-%Tm-%Td %TH:%TM %P\n' | sort |
      sed "s/^[df] //; s#\([0-9][0-9]:[0-9][0-9]\) #\1 $1/#" ;;
  *) echo "unknown $command" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def hadoop(tmp_path):
    program = tmp_path / "home" / "bin" / "hadoop"
    program.parent.mkdir(parents=True)
    program.write_text(HADOOP)
    program.chmod(0o755)
    (tmp_path / "hdfs").mkdir()
    return HDFSClient(str(tmp_path / "home"), {"home": str(tmp_path / "hdfs")})


@pytest.fixture
def local(tmp_path):
    folder = tmp_path / "local"
    (folder / "deep").mkdir(parents=True)
    for i, name in enumerate(("a", "b", "deep/c")):
        path = folder / name
        path.write_text(name)
        os.utime(path, (1e9 - 1e5 * i, 1e9 - 1e5 * i))
    return folder


def test_files_go_up_and_down(hadoop, local, tmp_path):
    assert hadoop.upload("/data/one", str(local / "a")) and hadoop.is_exist("/data/one/a")
    assert hadoop.is_dir("/data") and not hadoop.is_dir("/data/one/a") and not hadoop.is_exist("/data/two")
    (local / "a").write_text("new")
    assert not hadoop.upload("/data/one", str(local / "a"))
    assert hadoop.upload("/data/one", str(local / "a"), overwrite=True)
    target = tmp_path / "target"
    assert hadoop.download("/data/one/a", str(target)) and (target / "a").read_text() == "new"
    assert not hadoop.download("/data/one/a", str(target)) and not hadoop.download("/data/none", str(target))
    assert hadoop.download("/data/one/a", str(target), overwrite=True)
    assert hadoop.rename("/data/one/a", "/data/b") and sorted(hadoop.ls("/data")) == ["/data/b", "/data/one"]
    assert not hadoop.rename("/none", "/data/c")
    assert hadoop.delete("/data") and hadoop.ls("/data") == [] and hadoop.delete("/data")


def test_folders_are_shared_out_among_trainers(hadoop, local, tmp_path):
    multi_upload(hadoop, "/data", str(local), multi_processes=2)
    assert sorted(hadoop.lsr("/data")) == ["/data/a", "/data/b", "/data/deep/c"]
    assert "/data/deep" in hadoop.lsr("/data", only_file=False)
    for name, day in (("a", 3), ("b", 1), ("deep/c", 2)):
        os.utime(tmp_path / "hdfs" / "data" / name, (86400 * day, 86400 * day))
    assert hadoop.lsr("/data") == ["/data/b", "/data/deep/c", "/data/a"]
    folder = str(tmp_path / "share")
    assert multi_download(hadoop, "/data", folder, trainer_id=0, trainers=2) == [f"{folder}/b", f"{folder}/a"]
    assert multi_download(hadoop, "/data", folder, 1, 2) == [f"{folder}/deep/c"]
    assert (tmp_path / "share" / "deep" / "c").read_text() == "deep/c"


def test_a_command_that_fails_is_told(hadoop, caplog):
    assert not hadoop._run("-chmod")[0] and "hadoop fs -chmod: unknown -chmod" in caplog.text


def test_refusals(hadoop, local, tmp_path):
    with pytest.raises(ValueError, match=r"there is no .*nowhere/bin/hadoop; hadoop_home must be the folder"):
        HDFSClient(str(tmp_path / "nowhere"), {}).is_exist("/data")
    for call, says in (
        (lambda: hadoop.ls(None), "HDFSClient.ls: a path of HDFS must be given, got None"),
        (lambda: hadoop.upload("/data", str(local)), "use multi_upload for folders"),
        (lambda: hadoop.download("/data", str(local), unzip=True), "unzip must be False"),
        (lambda: multi_upload(hadoop, "/data", str(tmp_path / "none")), "there are no files under"),
        (lambda: multi_download("client", "/data", str(local), 0, 1), "client must be an HDFSClient, got str"),
    ):
        with pytest.raises((ValueError, TypeError), match=says):
            call()
    hadoop.makedirs("/folder")
    with pytest.raises(ValueError, match="/folder is a folder; use multi_download for folders"):
        hadoop.download("/folder", str(local))
