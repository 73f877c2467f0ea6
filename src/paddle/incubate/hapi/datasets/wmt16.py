"""paddle.incubate.hapi.datasets.wmt16: English and German."""

from refluid.hapi.datasets.translations import WMT16 as WMT16

__all__ = ["WMT16"]
