"""paddle.incubate.hapi.datasets.wmt14: French and English."""

from refluid.hapi.datasets.translations import WMT14 as WMT14

__all__ = ["WMT14"]
