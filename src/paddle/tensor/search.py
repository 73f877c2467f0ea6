"""paddle.tensor.search: orders and choices."""

from refluid.alpha.tensor.search import argmax as argmax, argsort as argsort, sort as sort, where as where
from refluid.layers.indexing import index_sample as index_sample, index_select as index_select, nonzero as nonzero
from refluid.layers.tensor import argmin as argmin, topk as topk
