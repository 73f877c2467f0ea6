"""Functions of click-through models: show and click counts, hashed ids, tagged instances."""

from __future__ import annotations

from refluid.core.errors import ArgumentError
from refluid.core.naming import NO_LAYER, LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.ops.nn.cvm import cvm as cvm_op
from refluid.ops.sequence.filter_by_instag import filter_by_instag as filter_by_instag_op
from refluid.ops.shape.hash import hash as hash_op


def continuous_value_model(input: BaseVariable, cvm: BaseVariable, use_cvm: bool = True) -> BaseVariable:
    """Show and click counts before an embedding: log(show + 1), log(click + 1) - log(show + 1), or left out.

    Args:
        input: a float LoDTensor [N, D] whose first two columns are show and click.
        cvm: a float variable [N, 2], the counts that the gradient of these columns is set to.
        use_cvm: False removes the two columns.

    Returns:
        A variable [N, D], or [N, D - 2].
    """
    return cvm_op(input, cvm, name=NO_LAYER, use_cvm=use_cvm)


def hash(input: BaseVariable, hash_size: int, num_hash: int = 1, name: str | None = None) -> BaseVariable:
    """Rows of ids as numbers below hash_size, by several hash functions.

    Args:
        input: int32 or int64 ids [N, D].
        hash_size: the excluded upper bound of the result.
        num_hash: the number of hash functions.

    Returns:
        An int64 variable [N, num_hash, 1] with the LoD of input.
    """
    for what, value in (("hash_size", hash_size), ("num_hash", num_hash)):
        if not isinstance(value, int) or value < 1:
            raise ArgumentError(f"hash: {what} must be a positive int, got {value!r}")
    return hash_op(input, name=LayerName("hash", name), num_hash=num_hash, mod_by=hash_size)


def filter_by_instag(
    ins: BaseVariable, ins_tag: BaseVariable, filter_tag: BaseVariable, is_lod: bool, out_val_if_empty: int = 0
) -> list[BaseVariable]:
    """The instances that have one of the tags in filter_tag.

    Args:
        ins: a numeric variable [rows, ...]; an instance is a sequence of a LoDTensor, or a row.
        ins_tag: int64 LoDTensor [number of tags, 1]: the tags of each instance.
        filter_tag: int64 [number of wanted tags].
        is_lod: whether ins is a LoDTensor.
        out_val_if_empty: the value of the one row of the result if no instance is left.

    Returns:
        [the remaining rows, their weights [instances, 1]: 1, or 0 if no instance is left].
    """
    out, weight, _ = filter_by_instag_op(
        ins, ins_tag, filter_tag, name=LayerName("filter_by_instag"), is_lod=is_lod, out_val_if_empty=out_val_if_empty
    )
    return [out, weight]
