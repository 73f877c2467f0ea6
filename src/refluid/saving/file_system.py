"""Where checkpoints of a training lie: FS says what a file system does, LocalFS is the machine's own."""

from __future__ import annotations

import abc
import os
import shutil


class FS(abc.ABC):
    """A file system that a training keeps its checkpoints in."""

    @abc.abstractmethod
    def list_dirs(self, fs_path: str) -> list[str]:
        """The names of the folders in a folder; none if it does not exist."""

    @abc.abstractmethod
    def ls_dir(self, fs_path: str) -> list[str]:
        """The names of everything in a folder."""

    @abc.abstractmethod
    def stat(self, fs_path: str) -> bool:
        """Whether there is something under this path."""

    @abc.abstractmethod
    def upload(self, local_path: str, fs_path: str) -> None:
        """Copy a local file or folder there."""

    @abc.abstractmethod
    def download(self, fs_path: str, local_path: str) -> None:
        """Copy a file or folder from there."""

    @abc.abstractmethod
    def mkdir(self, fs_path: str) -> None:
        """Make a folder and those that it lies in; nothing if it exists."""

    @abc.abstractmethod
    def mv(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Rename a file or folder."""

    @abc.abstractmethod
    def rmr(self, fs_path: str) -> None:
        """Remove a folder with all that is in it."""

    @abc.abstractmethod
    def rm(self, fs_path: str) -> None:
        """Remove a file."""

    @abc.abstractmethod
    def delete(self, fs_path: str) -> None:
        """Remove a file or a folder; nothing if it does not exist."""

    @abc.abstractmethod
    def need_upload_download(self) -> bool:
        """Whether files must be copied before they can be opened."""


class LocalFS(FS):
    """The file system of this machine."""

    def list_dirs(self, fs_path: str) -> list[str]:
        if not self.stat(fs_path):
            return []
        return [name for name in self.ls_dir(fs_path) if os.path.isdir(os.path.join(fs_path, name))]

    def ls_dir(self, fs_path: str) -> list[str]:
        return sorted(os.listdir(fs_path))

    def stat(self, fs_path: str) -> bool:
        return os.path.exists(fs_path)

    def upload(self, local_path: str, fs_path: str) -> None:
        if os.path.isdir(local_path):
            shutil.copytree(local_path, fs_path, dirs_exist_ok=True)
        else:
            shutil.copy2(local_path, fs_path)

    def download(self, fs_path: str, local_path: str) -> None:
        self.upload(fs_path, local_path)

    def mkdir(self, fs_path: str) -> None:
        os.makedirs(fs_path, exist_ok=True)

    def mv(self, fs_src_path: str, fs_dst_path: str) -> None:
        os.rename(fs_src_path, fs_dst_path)

    def rmr(self, fs_path: str) -> None:
        shutil.rmtree(fs_path)

    def rm(self, fs_path: str) -> None:
        os.remove(fs_path)

    def delete(self, fs_path: str) -> None:
        if os.path.isdir(fs_path) and not os.path.islink(fs_path):
            self.rmr(fs_path)
        elif os.path.lexists(fs_path):
            self.rm(fs_path)

    def need_upload_download(self) -> bool:
        return False
