"""DatasetFactory: data sets over files by the names of their classes."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.data.ctr.base import DatasetBase, FileInstantDataset, QueueDataset
from refluid.data.ctr.memory import BoxPSDataset, InMemoryDataset

_KINDS = {kind.__name__: kind for kind in (QueueDataset, InMemoryDataset, FileInstantDataset, BoxPSDataset)}


class DatasetFactory:
    """Makes data sets by the names of their classes."""

    def create_dataset(self, datafeed_class: str = "QueueDataset") -> DatasetBase:
        """A QueueDataset, InMemoryDataset, FileInstantDataset or BoxPSDataset."""
        if datafeed_class not in _KINDS:
            raise ArgumentError(f"create_dataset: expected one of {', '.join(_KINDS)}, got {datafeed_class!r}")
        return _KINDS[datafeed_class]()
