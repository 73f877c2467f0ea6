"""paddle.incubate.hapi.datasets.voc2012: segmented images."""

from refluid.hapi.datasets.voc2012 import VOC2012 as VOC2012

__all__ = ["VOC2012"]
