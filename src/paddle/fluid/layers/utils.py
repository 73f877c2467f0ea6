"""paddle.fluid.layers.utils: nested structures."""

from refluid.layers.structures import (
    assert_same_structure as assert_same_structure,
    convert_to_list as convert_to_list,
    flatten as flatten,
    is_sequence as is_sequence,
    map_structure as map_structure,
    pack_sequence_as as pack_sequence_as,
)
