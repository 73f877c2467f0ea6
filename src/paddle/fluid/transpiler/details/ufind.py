"""paddle.fluid.transpiler.details.ufind: disjoint sets."""

from refluid.distributed.transpile.details import UnionFind as UnionFind
