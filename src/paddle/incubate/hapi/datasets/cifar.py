"""paddle.incubate.hapi.datasets.cifar: tiny images."""

from refluid.hapi.datasets.cifar import (
    Cifar10 as Cifar10,
    Cifar100 as Cifar100,
)

__all__ = ["Cifar10", "Cifar100"]
