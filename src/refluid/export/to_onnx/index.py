"""Elements chosen by their indices, and indices of elements."""

from __future__ import annotations

import torch

from refluid.core.dtypes import torch_dtype
from refluid.export.mapping import Unsupported, Value
from refluid.export.to_onnx.graph import Graph, maps


@maps("lookup_table")
def lookup_table(g: Graph, W: Value, Ids: Value, *, padding_idx: int) -> str:
    return _rows(g, W, g.squeeze(Ids, Ids.rank - 1), padding_idx)


@maps("lookup_table_v2")
def lookup_table_v2(g: Graph, W: Value, Ids: Value, *, padding_idx: int) -> str:
    return _rows(g, W, Ids.name, padding_idx)


def _rows(g: Graph, W: Value, ids: str, padding_idx: int) -> str:
    out = g.node("Gather", W, ids, axis=0)
    if padding_idx == -1:
        return out
    padded = g.node("Equal", g.cast(ids, torch.int64), g.constant(padding_idx, torch.int64))
    if W.dtype is not torch.int8:
        return g.where(g.unsqueeze(padded, -1), g.number(0, W), out)
    # Of onnxruntime for Python 3.10 the last version has no Where for int8.
    rows = g.where(g.unsqueeze(padded, -1), g.constant(0, torch.int32), g.cast(out, torch.int32))
    return g.cast(rows, torch.int8)


@maps("gather")
def gather(g: Graph, X: Value, Index: Value) -> str:
    return g.node("Gather", X, Index if Index.rank == 1 else g.reshape(Index, -1), axis=0)


@maps("index_select")
def index_select(g: Graph, X: Value, Index: Value, *, dim: int) -> str:
    return g.node("Gather", X, Index, axis=dim)


@maps("index_sample")
def index_sample(g: Graph, X: Value, Index: Value) -> str:
    return g.node("GatherElements", X, Index, axis=1)


@maps("gather_nd")
def gather_nd(g: Graph, X: Value, Index: Value) -> str:
    if Index.shape[-1] == 0:
        raise Unsupported("an Index whose last axis is empty cannot be expressed in ONNX")
    return g.node("GatherND", X, g.cast(Index, torch.int64))


@maps("scatter")
def scatter(g: Graph, X: Value, Ids: Value, Updates: Value, *, overwrite: bool) -> str:
    places = g.unsqueeze(g.cast(Ids, torch.int64), 1)
    if overwrite:
        return g.node("ScatterND", X, places, Updates)
    # Fluid: what X had in these rows is lost, then all updates are added.
    cleared = g.node("ScatterND", X, places, g.full(g.sizes(Updates), 0, X.dtype))
    return g.node("ScatterND", cleared, places, Updates, reduction="add")


@maps("scatter_nd_add")
def scatter_nd_add(g: Graph, X: Value, Index: Value, Updates: Value) -> str:
    if Index.shape[-1] == 0:
        raise Unsupported("an Index whose last axis is empty cannot be expressed in ONNX")
    return g.node("ScatterND", X, g.cast(Index, torch.int64), Updates, reduction="add")


def _extreme(target: str):
    def mapper(g: Graph, X: Value, *, axis: int, keepdims: bool, dtype: int) -> str:
        out = g.node(target, X, axis=axis, keepdims=int(keepdims))
        if X.rank == 1 and not keepdims:
            out = g.reshape(out, 1)  # there are no tensors without axes
        return out if dtype < 0 else g.cast(out, torch_dtype(dtype))

    return mapper


maps("arg_max")(_extreme("ArgMax"))
maps("arg_min")(_extreme("ArgMin"))


@maps("top_k")
def top_k(g: Graph, X: Value, K: Value | None, *, k: int) -> tuple[str, ...]:
    return tuple(g.nodes_of("TopK", 2, X, g.given([k], K), axis=-1, largest=1, sorted=1))


@maps("argsort")
def argsort(g: Graph, X: Value, *, axis: int, descending: bool) -> tuple[str, ...]:
    size = g.sizes(X, axis % X.rank, axis % X.rank + 1)
    return tuple(g.nodes_of("TopK", 2, X, size, axis=axis, largest=int(descending), sorted=1))


def _one_hot(column: bool):
    def mapper(g: Graph, X: Value, depth_tensor: Value | None, *, depth: int, dtype: int) -> str:
        # Not OneHot, which counts negative numbers from the end.
        places = g.cast(X if column else g.unsqueeze(X, X.rank), torch.int64)
        end = g.reshape(g.given([depth], depth_tensor))
        classes = g.node("Range", g.constant(0, torch.int64), end, g.constant(1, torch.int64))
        return g.cast(g.node("Equal", places, classes), torch_dtype(dtype))

    return mapper


maps("one_hot")(_one_hot(True))
maps("one_hot_v2")(_one_hot(False))


@maps("multiplex")
def multiplex(g: Graph, Ids: Value, X: list[Value]) -> str:
    rows = g.sizes(X[0], 0, 1)
    here = g.node("Range", g.constant(0, torch.int64), g.reshape(rows), g.constant(1, torch.int64))
    places = g.concat(g.cast(g.reshape(Ids, -1, 1), torch.int64), g.unsqueeze(here, 1), axis=1)
    return g.node("GatherND", g.concat(*(g.unsqueeze(x, 0) for x in X), axis=0), places)


@maps("where_index")
def where_index(g: Graph, Condition: Value) -> str:
    return g.transpose(g.node("NonZero", Condition), 1, 0)


@maps("sequence_mask")
def sequence_mask(g: Graph, X: Value, MaxLenTensor: Value | None, *, maxlen: int, out_dtype: int) -> str:
    lengths = g.cast(g.node("Ceil", X) if X.dtype.is_floating_point else X, torch.int64)
    if MaxLenTensor is not None:
        end = g.reshape(g.cast(MaxLenTensor, torch.int64))
    elif maxlen >= 0:
        end = g.constant(maxlen, torch.int64)
    else:
        end = g.reduce("Max", lengths, list(range(X.rank)), False)
    places = g.node("Range", g.constant(0, torch.int64), end, g.constant(1, torch.int64))
    return g.cast(g.node("Less", places, g.unsqueeze(lengths, -1)), torch_dtype(out_dtype))
