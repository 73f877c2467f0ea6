"""Programs print as one line per variable and operator."""

import paddle.fluid as fluid


def test_a_program_prints_its_variables_and_operators():
    x = fluid.data("x", [None, 4], lod_level=1)
    fluid.layers.fc(x, 2, act="relu")
    assert str(fluid.default_main_program()) == "\n".join(
        [
            "block 0 {",
            "    var x : float32 [-1, 4] lod_level=1",
            "    param fc_0.w_0 : float32 [4, 2]",
            "    var fc_0.tmp_0 : float32 [-1, 2] lod_level=1",
            "    param fc_0.b_0 : float32 [2]",
            "    var fc_0.tmp_1 : float32 [-1, 2] lod_level=1",
            "    var fc_0.tmp_2 : float32 [-1, 2] lod_level=1",
            "    {Out=['fc_0.tmp_0']} = mul(X=['x'], Y=['fc_0.w_0']; x_num_col_dims=1, y_num_col_dims=1)",
            "    {Out=['fc_0.tmp_1']} = elementwise_add(X=['fc_0.tmp_0'], Y=['fc_0.b_0']; axis=1)",
            "    {Out=['fc_0.tmp_2']} = relu(X=['fc_0.tmp_1'])",
            "}",
        ]
    )


def test_variables_print_their_kind_and_on_request_their_details():
    main = fluid.default_main_program()
    x = fluid.data("x", [None, 4], dtype="int64")
    fluid.layers.create_global_var([1], 0.0, "float32", persistable=True, name="steps")
    weight = fluid.layers.create_parameter([2, 3], "float64", name="w", attr=fluid.ParamAttr(trainable=False))
    assert str(x) == "var x : int64 [-1, 4]"
    assert str(main.global_block().var("steps")) == "persist steps : float32 [1]"
    assert weight.to_string(True, True).endswith("trainable=False")


def test_blocks_inside_blocks_print_where_they_belong():
    program = fluid.default_main_program()
    program._create_block().create_var(name="inner", shape=[1], dtype="bool")
    program._rollback()
    assert program.to_string(True) == "block 0 {\n}\nblock 1 (inside block 0) {\n    var inner : bool [1]\n}"
