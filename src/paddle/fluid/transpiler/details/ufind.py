"""paddle.fluid.transpiler.details.ufind: disjoint sets."""

from refluid.distributed.transpile.details import UnionFind as UnionFind

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
