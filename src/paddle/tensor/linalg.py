"""paddle.tensor.linalg: matrices and vectors."""

from refluid.alpha.tensor.linalg import cholesky as cholesky, norm as norm
from refluid.layers.math import bmm as bmm, cross as cross, dist as dist, dot as dot, matmul as matmul
from refluid.layers.shape import t as t, transpose as transpose
