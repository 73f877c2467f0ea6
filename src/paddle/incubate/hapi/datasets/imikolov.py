"""paddle.incubate.hapi.datasets.imikolov: sentences of the Penn Treebank."""

from refluid.hapi.datasets.imikolov import Imikolov as Imikolov

__all__ = ["Imikolov"]
