"""fetch_all: the files of all data sets at once."""

from importlib import import_module

_NAMES = "cifar conll05 flowers imdb imikolov mnist movielens mq2007 sentiment uci_housing voc2012 wmt14 wmt16".split()


def fetch_all() -> None:
    """Download the official files of all data sets into the cache folder."""
    for name in _NAMES:
        import_module(f"refluid.data.datasets.{name}").fetch()
