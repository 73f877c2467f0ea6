"""paddle.incubate.hapi.datasets: data sets that are read by index."""

from paddle.incubate.hapi.datasets import cifar as cifar, flowers as flowers, folder as folder, mnist as mnist
from refluid.hapi.datasets.cifar import Cifar10 as Cifar10, Cifar100 as Cifar100
from refluid.hapi.datasets.flowers import Flowers as Flowers
from refluid.hapi.datasets.folder import DatasetFolder as DatasetFolder, ImageFolder as ImageFolder
from refluid.hapi.datasets.mnist import MNIST as MNIST

__all__ = ["Cifar10", "Cifar100", "DatasetFolder", "Flowers", "ImageFolder", "MNIST"]
