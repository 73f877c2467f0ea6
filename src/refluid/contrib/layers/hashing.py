"""search_pyramid_hash: embeddings of hashed n-grams, for texts that are searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.checks import need_variable
from refluid.ops.sequence.pyramid_hash import pyramid_hash
from refluid.params.create import make_parameter

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


def search_pyramid_hash(
    input: BaseVariable,
    num_emb: int,
    space_len: int,
    pyramid_layer: int,
    rand_len: int,
    drop_out_percent: float,
    is_training: int,
    use_filter: bool,
    white_list_len: int,
    black_list_len: int,
    seed: int,
    lr: float,
    param_attr: Any = None,
    param_attr_wl: Any = None,
    param_attr_bl: Any = None,
    name: str | None = None,
    distribute_update_vars: list[str] | None = None,
    dtype: str = "float32",
) -> BaseVariable:
    """A row [num_emb] for every n-gram of the sequences of input, n from 2 to pyramid_layer.

    The backward pass updates the table itself, by -lr times its gradient, where input.stop_gradient is False.

    Args:
        input: int32 ids [total length, 1] with a LoD.
        space_len, rand_len: the table has space_len + rand_len numbers; a row is made of pieces of rand_len of them.
        drop_out_percent: the fraction of n-grams that is dropped while is_training; testing multiplies by it.
        use_filter: whether the Bloom filters of white_list_len and black_list_len numbers choose n-grams (0: none).
        seed: of the dropping.
        distribute_update_vars: the names of those parameters that servers update.
    """
    need_variable("search_pyramid_hash: input", input)
    layer = LayerName("search_pyramid_hash", name)
    table = _stopped(make_parameter(param_attr, [space_len + rand_len, 1], dtype, layer=layer))
    white = _stopped(make_parameter(param_attr_wl, [white_list_len, 1], dtype, layer=layer)) if white_list_len else None
    black = _stopped(make_parameter(param_attr_bl, [black_list_len, 1], dtype, layer=layer)) if black_list_len else None
    names = [attr.name for attr in (param_attr, param_attr_wl, param_attr_bl) if attr]
    for name in distribute_update_vars or []:
        if name not in names:
            raise ArgumentError(
                f"search_pyramid_hash: there is no parameter {name!r} among {', '.join(names) or 'none'}"
            )
    out, _, _ = pyramid_hash(
        input, table, white, black, name=layer, num_emb=num_emb, space_len=space_len, pyramid_layer=pyramid_layer,
        rand_len=rand_len, drop_out_percent=drop_out_percent, is_training=is_training, use_filter=use_filter,
        white_list_len=white_list_len, black_list_len=black_list_len, seed=seed, lr=lr,
        distribute_update_vars=",".join(distribute_update_vars or []),
    )  # fmt: skip
    return out


def _stopped(parameter: BaseVariable) -> BaseVariable:
    parameter.stop_gradient = True
    return parameter
