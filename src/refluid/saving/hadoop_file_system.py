"""BDFS: checkpoints in HDFS, by the command `hadoop fs` of an installed Hadoop."""

from __future__ import annotations

import posixpath
import subprocess
import time

from refluid.core.errors import EnforceNotMet, NotFoundError
from refluid.saving.file_system import FS


class BDFS(FS):
    """A file system in HDFS.

    Args:
        hdfs_name: its address, "hdfs://host:port".
        hdfs_ugi: user and password, "name,password".
        time_out: milliseconds for which a command that fails is tried again.
        sleep_inter: milliseconds between two tries.
    """

    def __init__(self, hdfs_name: str, hdfs_ugi: str, time_out: int = 20 * 60 * 1000, sleep_inter: int = 1000):
        self._base = ["hadoop", "fs", f"-Dfs.default.name={hdfs_name}", f"-Dhadoop.job.ugi={hdfs_ugi}"]
        self._time_out = time_out
        self._sleep_inter = sleep_inter

    def _command(self, *words: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run([*self._base, *words], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise NotFoundError("BDFS: there is no command `hadoop`; put that of an installed Hadoop on PATH") from None

    def _run(self, *words: str) -> str:
        """What a command prints; tried again until it succeeds or time is up."""
        end = time.monotonic() + self._time_out / 1000
        while True:
            done = self._command(*words)
            if done.returncode == 0:
                return done.stdout
            if time.monotonic() >= end:
                raise EnforceNotMet(f"BDFS: hadoop fs {' '.join(words)} failed: {done.stderr.strip()}")
            time.sleep(self._sleep_inter / 1000)

    def stat(self, fs_path: str) -> bool:
        """Whether there is a file or folder of this path."""
        return self._command("-test", "-e", fs_path).returncode == 0

    def is_dir(self, fs_path: str) -> bool:
        """Whether there is a folder of this path."""
        return self._command("-test", "-d", fs_path).returncode == 0

    def ls_dir(self, fs_path: str) -> tuple[list[str], list[str]]:  # type: ignore[override]  # 1.8.5's classes differ
        """(folders, files) in a folder, by name."""
        folders: list[str] = []
        files: list[str] = []
        for line in self._run("-ls", fs_path).splitlines():
            words = line.split()
            if len(words) == 8 and fs_path in words[7]:
                (folders if words[0].startswith("d") else files).append(posixpath.basename(words[7]))
        return folders, files

    def list_dirs(self, fs_path: str) -> list[str]:
        """The folders in a folder, by name; none if it is not there."""
        return self.ls_dir(fs_path)[0] if self.stat(fs_path) else []

    def upload(self, local_path: str, fs_path: str) -> None:
        """Copy a local file or folder to HDFS."""
        self._run("-put", local_path, fs_path)

    def download(self, fs_path: str, local_path: str) -> None:
        """Copy a file or folder of HDFS into a local folder."""
        self._run("-get", fs_path, f"{local_path}/")

    def mkdir(self, fs_path: str) -> None:
        """Make a folder, if it is not there."""
        if not self.stat(fs_path):
            self._run("-mkdir", fs_path)

    def mv(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Rename a file or folder."""
        self._run("-mv", fs_src_path, fs_dst_path)

    def rmr(self, fs_path: str) -> None:
        """Remove a folder with all in it, if it is there."""
        if self.stat(fs_path):
            self._run("-rmr", fs_path)

    def rm(self, fs_path: str) -> None:
        """Remove a file, if it is there."""
        if self.stat(fs_path):
            self._run("-rm", fs_path)

    def delete(self, fs_path: str) -> None:
        """Remove a file, or a folder with all in it, if it is there."""
        (self.rmr if self.is_dir(fs_path) else self.rm)(fs_path)

    def need_upload_download(self) -> bool:
        """Whether files must be copied before they can be opened: they must."""
        return True
