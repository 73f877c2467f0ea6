"""HDFSClient: files in HDFS, by the command `hadoop fs` of an installed Hadoop."""

from __future__ import annotations

import logging
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from refluid.core.errors import ArgumentError, DtypeError, NotFoundError

_logger = logging.getLogger("refluid")


class Entry(NamedTuple):
    """One line of a listing."""

    path: str
    time: str
    is_dir: bool


class HDFSClient:
    """Files in HDFS.

    Args:
        hadoop_home: the folder that has bin/hadoop.
        configs: what Hadoop is configured with: {"fs.default.name": "hdfs://host:port", "hadoop.job.ugi": ...}.
    """

    def __init__(self, hadoop_home: str, configs: dict[str, str]):
        program = os.path.join(hadoop_home, "bin", "hadoop")
        self.pre_commands = [program, "fs", *(f"-D{name}={value}" for name, value in configs.items())]

    def _run(self, *command: str, retry_times: int = 0) -> tuple[bool, str]:
        """(whether it succeeded, what it printed); retried so many times."""
        errors = ""
        for _ in range(retry_times + 1):
            try:
                done = subprocess.run([*self.pre_commands, *command], capture_output=True, text=True, check=False)
            except FileNotFoundError:
                raise NotFoundError(
                    f"HDFSClient: there is no {self.pre_commands[0]}; hadoop_home must be the folder of an installed "
                    "Hadoop"
                ) from None
            if done.returncode == 0:
                return True, done.stdout
            errors = done.stderr.strip()
        if errors:
            _logger.warning("hadoop fs %s: %s", " ".join(command), errors)
        return False, ""

    def is_exist(self, hdfs_path: str | None = None) -> bool:
        """Whether there is a file or folder of this path."""
        return self._run("-test", "-e", _need("is_exist", hdfs_path))[0]

    def is_dir(self, hdfs_path: str | None = None) -> bool:
        """Whether there is a folder of this path."""
        return self._run("-test", "-d", _need("is_dir", hdfs_path))[0]

    def upload(self, hdfs_path: str, local_path: str, overwrite: bool = False, retry_times: int = 5) -> bool:
        """Copy a local file into a folder of HDFS, which is made if it is not there.

        Returns:
            Whether it was copied: not if the file is there and overwrite is False.
        """
        if not os.path.isfile(local_path):
            raise NotFoundError(f"upload: there is no file {local_path!r}; use multi_upload for folders")
        target = f"{_need('upload', hdfs_path).rstrip('/')}/{os.path.basename(local_path)}"
        if not self.is_exist(hdfs_path):
            self.makedirs(hdfs_path)
        elif self.is_exist(target):
            if not overwrite:
                _logger.warning("upload: %s exists; overwrite=True replaces it", target)
                return False
            self.delete(target)
        return self._run("-put", local_path, hdfs_path, retry_times=retry_times)[0]

    def download(self, hdfs_path: str, local_path: str, overwrite: bool = False, unzip: bool = False) -> bool:
        """Copy a file of HDFS into a local folder, which is made if it is not there.

        Returns:
            Whether it was copied: not if there is no such file, or if it is there and overwrite is False.
        """
        if unzip:
            raise ArgumentError(
                "download: unzip must be False, as in Fluid, which never unzipped; use tarfile or zipfile"
            )
        if not self.is_exist(hdfs_path):
            _logger.warning("download: there is no %s in HDFS", hdfs_path)
            return False
        if self.is_dir(hdfs_path):
            raise ArgumentError(f"download: {hdfs_path} is a folder; use multi_download for folders")
        target = os.path.join(local_path, os.path.basename(hdfs_path))
        if os.path.exists(target):
            if not overwrite:
                _logger.warning("download: %s exists; overwrite=True replaces it", target)
                return False
            os.remove(target)
        self.make_local_dirs(local_path)
        return self._run("-get", hdfs_path, local_path, retry_times=5)[0]

    def delete(self, hdfs_path: str) -> bool:
        """Remove a file, or a folder with all that is in it; True also if there is none."""
        if not self.is_exist(hdfs_path):
            return True
        return self._run("-rm", *(["-r"] if self.is_dir(hdfs_path) else []), hdfs_path)[0]

    def rename(self, hdfs_src_path: str, hdfs_dst_path: str, overwrite: bool = False) -> bool:
        """Move a file or folder; False if it is not there, or if its new name is taken and overwrite is False."""
        if not self.is_exist(_need("rename", hdfs_src_path)):
            _logger.warning("rename: there is no %s in HDFS", hdfs_src_path)
            return False
        if self.is_exist(_need("rename", hdfs_dst_path)):
            if not overwrite:
                _logger.warning("rename: %s exists; overwrite=True replaces it", hdfs_dst_path)
                return False
            self.delete(hdfs_dst_path)
        return self._run("-mv", hdfs_src_path, hdfs_dst_path)[0]

    def makedirs(self, hdfs_path: str) -> bool:
        """Make a folder, and those that it is in."""
        return self._run("-mkdir", "-p", _need("makedirs", hdfs_path))[0]

    @staticmethod
    def make_local_dirs(local_path: str) -> None:
        """Make a local folder, unless it is there."""
        os.makedirs(local_path, exist_ok=True)

    def ls(self, hdfs_path: str) -> list[str]:
        """The paths in a folder; [] if it is not there."""
        return [entry.path for entry in self._list("-ls", _need("ls", hdfs_path))]

    def lsr(self, hdfs_path: str, only_file: bool = True, sort: bool = True) -> list[str]:
        """The paths in a folder and in those inside it, the oldest first if `sort`."""
        entries = [e for e in self._list("-ls", "-R", _need("lsr", hdfs_path)) if not (only_file and e.is_dir)]
        return [entry.path for entry in (sorted(entries, key=lambda e: e.time) if sort else entries)]

    def _list(self, *command: str) -> list[Entry]:
        if not self.is_exist(command[-1]):
            return []
        # mode, copies, owner, group, size, date, time, path
        rows = [re.split(r"\s+", line, maxsplit=7) for line in self._run(*command)[1].strip().splitlines()]
        return [Entry(row[7], f"{row[5]} {row[6]}", row[0].startswith("d")) for row in rows if len(row) == 8]


def multi_download(
    client: HDFSClient, hdfs_path: str, local_path: str, trainer_id: int, trainers: int, multi_processes: int = 5
) -> list[str]:
    """Copy this trainer's shard of the files under a folder of HDFS, several at a time.

    Args:
        trainer_id, trainers: this is trainer number trainer_id of so many; each gets every trainers-th file.
        multi_processes: how many copies run at a time.
    Returns:
        The local paths.
    """
    _need_client("multi_download", client)
    client.make_local_dirs(local_path)
    wanted = client.lsr(hdfs_path)[trainer_id::trainers]
    folders = [os.path.normpath(os.path.join(local_path, _below(path, hdfs_path))) for path in wanted]
    with ThreadPoolExecutor(multi_processes) as pool:
        for path, done in zip(wanted, pool.map(client.download, wanted, folders), strict=True):
            if not done:
                _logger.warning("multi_download: %s was not copied", path)
    return [os.path.join(folder, os.path.basename(path)) for folder, path in zip(folders, wanted, strict=True)]


def getfilelist(path: str) -> None:
    """Print the files in a folder of this machine, and in the folders inside it."""
    for folder, _, names in os.walk(path):
        for name in names:
            print(os.path.join(folder, name))


def multi_upload(
    client: HDFSClient,
    hdfs_path: str,
    local_path: str,
    multi_processes: int = 5,
    overwrite: bool = False,
    sync: bool = True,
) -> None:
    """Copy all files under a local folder into a folder of HDFS, several at a time; it returns when all are there."""
    _need_client("multi_upload", client)
    files = [os.path.join(folder, name) for folder, _, names in os.walk(local_path) for name in sorted(names)]
    if not files:
        raise NotFoundError(f"multi_upload: there are no files under {local_path!r}")
    folders = [
        os.path.normpath(os.path.join(hdfs_path, os.path.relpath(os.path.dirname(f), local_path))) for f in files
    ]
    with ThreadPoolExecutor(multi_processes) as pool:
        done = pool.map(lambda folder, file: client.upload(folder, file, overwrite), folders, files)
        for file, copied in zip(files, done, strict=True):
            if not copied:
                _logger.warning("multi_upload: %s was not copied", file)


def _below(path: str, folder: str) -> str:
    """The folder of a path of HDFS, seen from another; paths may begin with hdfs://host:port."""
    return os.path.relpath(re.sub(r"^\w+://[^/]*", "", os.path.dirname(path)), re.sub(r"^\w+://[^/]*", "", folder))


def _need(method: str, path: str | None) -> str:
    if not path:
        raise ArgumentError(f"HDFSClient.{method}: a path of HDFS must be given, got {path!r}")
    return path


def _need_client(function: str, client: object) -> None:
    if not isinstance(client, HDFSClient):
        raise DtypeError(f"{function}: client must be an HDFSClient, got {type(client).__name__}")
