"""paddle.incubate.hapi.datasets.uci_housing: the Boston housing table."""

from refluid.hapi.datasets.uci_housing import UCIHousing as UCIHousing

__all__ = ["UCIHousing"]
