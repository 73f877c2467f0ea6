"""Functions of models of clicks: shows and clicks, hashed ids, tagged instances."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.ops.nn.cvm import cvm as cvm_op
from refluid.ops.sequence.filter_by_instag import filter_by_instag as filter_by_instag_op
from refluid.ops.shape.hash import hash as hash_op


def continuous_value_model(input: Any, cvm: Any, use_cvm: bool = True) -> Any:
    """Shows and clicks in front of an embedding as logarithms, or left out.

    Args:
        input: [N, D], whose first two columns are shows and clicks.
        cvm: [N, 2], the counts that the gradient hands to the table of embeddings.
        use_cvm: False leaves the two columns out.
    Returns:
        [N, D], or [N, D - 2].
    """
    return cvm_op(input, cvm, name=NO_LAYER, use_cvm=use_cvm)


def hash(input: Any, hash_size: int, num_hash: int = 1, name: str | None = None) -> Any:
    """Rows of ids [N, width] as numbers below hash_size, by num_hash hash functions: [N, num_hash, 1]."""
    for what, value in (("hash_size", hash_size), ("num_hash", num_hash)):
        if not isinstance(value, int) or value < 1:
            raise ArgumentError(f"hash: {what} must be a positive int, got {value!r}")
    return hash_op(input, name=LayerName("hash", name), num_hash=num_hash, mod_by=hash_size)


def filter_by_instag(ins: Any, ins_tag: Any, filter_tag: Any, is_lod: bool, out_val_if_empty: int = 0) -> Any:
    """The instances that carry one of the tags in filter_tag.

    Args:
        ins: [rows, ...]; an instance is a sequence if it is a LoDTensor, else a row.
        ins_tag: int64 LoDTensor [number of tags, 1]: the tags of each instance.
        filter_tag: int64 [number of wanted tags].
        out_val_if_empty: fills the one row that is left if no instance is.
    Returns:
        [the rows kept, their weights [instances, 1]: 1, or 0 if no instance is left].
    """
    out, weight, _ = filter_by_instag_op(
        ins, ins_tag, filter_tag, name=LayerName("filter_by_instag"), is_lod=is_lod, out_val_if_empty=out_val_if_empty
    )
    return [out, weight]
