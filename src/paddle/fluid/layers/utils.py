"""paddle.fluid.layers.utils: nested structures."""

from refluid.layers.structures import (
    _contain_var as _contain_var,
    _get_shape_tensor_inputs as _get_shape_tensor_inputs,
    _is_symmetric_padding as _is_symmetric_padding,
    assert_same_structure as assert_same_structure,
    convert_to_list as convert_to_list,
    copy_mutable_vars as copy_mutable_vars,
    flatten as flatten,
    hold_mutable_vars as hold_mutable_vars,
    is_sequence as is_sequence,
    map_structure as map_structure,
    pack_sequence_as as pack_sequence_as,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
