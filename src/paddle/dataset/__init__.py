"""paddle.dataset: data sets under Fluid's names."""

from paddle.dataset import (
    cifar as cifar,
    common as common,
    conll05 as conll05,
    flowers as flowers,
    image as image,
    imdb as imdb,
    imikolov as imikolov,
    mnist as mnist,
    movielens as movielens,
    mq2007 as mq2007,
    sentiment as sentiment,
    uci_housing as uci_housing,
    voc2012 as voc2012,
    wmt14 as wmt14,
    wmt16 as wmt16,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
