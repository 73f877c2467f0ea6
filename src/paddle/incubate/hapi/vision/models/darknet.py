"""paddle.incubate.hapi.vision.models.darknet: what YOLOv3 sees with."""

from refluid.hapi.vision.models.darknet import DarkNet as DarkNet, darknet53 as darknet53

__all__ = ["DarkNet", "darknet53"]
