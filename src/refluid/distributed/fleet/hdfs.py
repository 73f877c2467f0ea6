"""HDFSClient of fleet: whole folders, several files at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from refluid.contrib.hdfs import HDFSClient as OneFileClient
from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.fleet.servers import fleet


class HDFSClient(OneFileClient):
    """Files in HDFS, by the command `hadoop fs` of an installed Hadoop; uploads and downloads take folders."""

    def cat(self, hdfs_path: str | None = None) -> str:
        """What is in a file; "" if it is not there."""
        return self._run("-cat", str(hdfs_path))[1] if self.is_file(hdfs_path) else ""

    def is_file(self, hdfs_path: str | None = None) -> bool:
        """Whether the path is a file, not a folder."""
        return self.is_exist(hdfs_path) and not self.is_dir(hdfs_path)

    def lsr(self, hdfs_path: str, excludes: Sequence[str] = ()) -> list[str]:  # type: ignore[override]  # 1.8.5's two clients differ
        """The files in a folder and in those inside it."""
        return [path for path in super().lsr(hdfs_path, sort=False) if path not in excludes]

    @staticmethod
    def split_files(files: list[str], trainer_id: int, trainers: int) -> list[str]:
        """The contiguous share of a trainer; the first trainers get one more where the length is not divisible."""
        share, rest = divmod(len(files), trainers)
        start = trainer_id * share + min(trainer_id, rest)
        return files[start : start + share + (trainer_id < rest)]

    def download(  # type: ignore[override]
        self, hdfs_path: str, local_path: str, multi_processes: int = 5, overwrite: bool = False, retry_times: int = 5
    ) -> list[str]:
        """Copy all that is in a folder of HDFS into a local one.

        Returns:
            All files of the local folder.
        """
        self.make_local_dirs(local_path)
        self._each(
            self.ls(hdfs_path),
            multi_processes,
            lambda path: self._run("-get", path, local_path, retry_times=retry_times),
        )
        return [os.path.join(folder, name) for folder, _, names in os.walk(local_path) for name in names]

    def upload(  # type: ignore[override]
        self, hdfs_path: str, local_path: str, multi_processes: int = 5, overwrite: bool = False, retry_times: int = 5
    ) -> None:
        """Copy a file, or all that is in a folder, into a folder of HDFS, which is made if it is not there."""
        if not os.path.exists(local_path):
            raise ArgumentError(f"upload: there is no {local_path!r}")
        inside = os.path.isdir(local_path)
        files = [os.path.join(local_path, name) for name in os.listdir(local_path)] if inside else [local_path]
        if self.is_exist(hdfs_path) and overwrite and inside:
            self.delete(hdfs_path)
        if not self.is_exist(hdfs_path):
            self.makedirs(hdfs_path)
        force = ["-f"] if overwrite else []
        self._each(
            files, multi_processes, lambda file: self._run("-put", *force, file, hdfs_path, retry_times=retry_times)
        )

    def upload_dir(self, dest_dir: str, local_dir: str, overwrite: bool = False) -> None:
        """Copy a folder into a folder of HDFS, under its own name."""
        target = f"{dest_dir.rstrip('/')}/{os.path.basename(os.path.normpath(local_dir))}"
        if overwrite and self.is_exist(target):
            self.delete(target)
        self._each([local_dir], 1, lambda folder: self._run("-put", folder, dest_dir))

    def _each(self, items: list[str], workers: int, copy: Callable[[str], tuple[bool, Any]]) -> None:
        with ThreadPoolExecutor(max(workers, 1)) as pool:
            failed = [item for item, (done, _) in zip(items, pool.map(copy, items), strict=True) if not done]
        if failed:
            raise EnforceNotMet(f"HDFSClient: {', '.join(failed)} could not be copied")


def check_all_trainers_ready(ready_path: str, epoch: int) -> None:
    """Wait until every worker has written its marker of this epoch to HDFS (HADOOP_HOME, FS_NAME, FS_UGI)."""
    configs = {"fs.default.name": os.environ.get("FS_NAME", ""), "hadoop.job.ugi": os.environ.get("FS_UGI", "")}
    client = HDFSClient(os.environ.get("HADOOP_HOME", ""), configs)
    mark = f"ready.{epoch}.{fleet.worker_index()}.done"
    open(mark, "w").close()
    client.upload(ready_path, mark, overwrite=True, retry_times=0)
    while sum(f"ready.{epoch}." in path for path in client.ls(ready_path)) < fleet.worker_num():
        time.sleep(10)
