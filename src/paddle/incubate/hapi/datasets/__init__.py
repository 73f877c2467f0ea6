"""paddle.incubate.hapi.datasets: data sets that are read by index."""

from paddle.incubate.hapi.datasets import (
    cifar as cifar,
    conll05 as conll05,
    flowers as flowers,
    folder as folder,
    imdb as imdb,
    imikolov as imikolov,
    mnist as mnist,
    movielens as movielens,
    uci_housing as uci_housing,
    voc2012 as voc2012,
    wmt14 as wmt14,
    wmt16 as wmt16,
)
from refluid.hapi.datasets.cifar import Cifar10 as Cifar10, Cifar100 as Cifar100
from refluid.hapi.datasets.conll05 import Conll05st as Conll05st
from refluid.hapi.datasets.flowers import Flowers as Flowers
from refluid.hapi.datasets.folder import DatasetFolder as DatasetFolder, ImageFolder as ImageFolder
from refluid.hapi.datasets.imdb import Imdb as Imdb
from refluid.hapi.datasets.imikolov import Imikolov as Imikolov
from refluid.hapi.datasets.mnist import MNIST as MNIST
from refluid.hapi.datasets.movielens import Movielens as Movielens
from refluid.hapi.datasets.translations import WMT14 as WMT14, WMT16 as WMT16
from refluid.hapi.datasets.uci_housing import UCIHousing as UCIHousing
from refluid.hapi.datasets.voc2012 import VOC2012 as VOC2012

__all__ = [
    "Cifar10", "Cifar100", "Conll05st", "DatasetFolder", "Flowers", "Imdb", "ImageFolder", "Imikolov", "MNIST",
    "Movielens", "UCIHousing", "VOC2012", "WMT14", "WMT16",
]  # fmt: skip
