"""paddle.incubate.hapi.download: weights from the network."""

from refluid.hapi.download import get_weights_path_from_url as get_weights_path_from_url

__all__ = ["get_weights_path_from_url"]
