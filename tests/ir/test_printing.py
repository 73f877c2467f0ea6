"""Programs print as the text of Fluid's messages; their parts on one line inside lists and messages."""

import paddle.fluid as fluid

X = """name: "x"
type {
  type: LOD_TENSOR
  lod_tensor {
    tensor {
      data_type: FP32
      dims: -1
      dims: 4
    }
    lod_level: 1
  }
}
persistable: false
need_check_feed: true
"""
SCALE = """inputs {
  parameter: "X"
  arguments: "x"
}
outputs {
  parameter: "Out"
  arguments: "scale_0.tmp_0"
}
type: "scale"
attrs {
  name: "scale"
  type: FLOAT
  f: 0.10000000149011612
}
"""


def test_variables_and_operators_print_as_their_messages():
    x = fluid.data("x", [None, 4], lod_level=1)
    out = fluid.layers.scale(x, 0.1)
    assert str(x) == x.to_string(True) == X
    assert x.to_string(True, True) == X + "error_clip: None\nstop_gradient: True\n"
    assert str(out.op).startswith(SCALE)
    assert repr([x, out.op]).startswith("[var x : float32 [-1, 4] lod_level=1, {Out=['scale_0.tmp_0']} = scale(")


def test_a_parameter_prints_what_training_knows_of_it():
    weight = fluid.layers.create_parameter([2], "float64", name="w", attr=fluid.ParamAttr(trainable=False))
    text = weight.to_string(True, True)
    assert "data_type: FP64" in text and "lod_level" not in text and "trainable: False\n" in text


def test_blocks_print_inside_their_program():
    program = fluid.default_main_program()
    program._create_block().create_var(name="inner", shape=[1], dtype="bool")
    program._rollback()
    text = str(program)
    assert text.startswith("blocks {\n  idx: 0\n  parent_idx: -1\n}\nblocks {\n  idx: 1\n  parent_idx: 0\n  vars {\n")
    assert text.endswith("version {\n  version: 1008005\n}\n") and text == program.to_string(True)


def test_attributes_print_by_their_types():
    x = fluid.data("x", [None, 4])
    op = fluid.layers.scale(x, 2.0).op
    op._set_attr("note", 'a "word"\n')
    op._set_attr("numbers", [1, 2])
    assert 'name: "note"\n  type: STRING\n  s: "a \\"word\\"\\n"\n' in str(op)
    assert 'name: "numbers"\n  type: INTS\n  ints: 1\n  ints: 2\n' in str(op)
