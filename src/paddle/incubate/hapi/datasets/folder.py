"""paddle.incubate.hapi.datasets.folder: folders of files."""

from refluid.hapi.datasets.folder import (
    DatasetFolder as DatasetFolder,
    ImageFolder as ImageFolder,
)

__all__ = ["DatasetFolder", "ImageFolder"]
