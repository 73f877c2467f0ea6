"""Names: counted per prefix, afresh inside a guard."""

import paddle.fluid as fluid
from refluid.core import unique_name


def test_names_are_counted_per_prefix():
    assert [unique_name.generate(key) for key in ("fc", "fc", "conv2d", "fc")] == ["fc_0", "fc_1", "conv2d_0", "fc_2"]


def test_a_guard_counts_afresh_and_gives_the_old_count_back():
    unique_name.generate("fc")
    with fluid.unique_name.guard():
        assert fluid.unique_name.generate("fc") == "fc_0"
    assert unique_name.generate("fc") == "fc_1"


def test_a_guard_with_a_str_or_bytes_puts_it_before_every_name():
    with fluid.unique_name.guard("a_"):
        assert fluid.unique_name.generate("fc") == "a_fc_0"
        with fluid.unique_name.guard(b"b_"):
            assert fluid.unique_name.generate("fc") == "b_fc_0"
        assert fluid.unique_name.generate("fc") == "a_fc_1"


def test_switch_hands_the_old_generator_back():
    unique_name.generate("fc")
    old = fluid.unique_name.switch()
    assert fluid.unique_name.generate("fc") == "fc_0"
    fluid.unique_name.switch(old)
    assert fluid.unique_name.generate("fc") == "fc_1"


def test_a_guard_ends_with_an_exception_too():
    try:
        with fluid.unique_name.guard():
            raise KeyError
    except KeyError:
        pass
    assert unique_name.generate("x") == "x_0"


def test_layers_are_named_after_their_function_and_their_parts_after_them():
    x = fluid.data("x", [None, 4])
    hidden = fluid.layers.fc(x, 3, act="relu")
    out = fluid.layers.fc(hidden, 2, name="last")
    assert hidden.name == "fc_0.tmp_2"
    assert [p.name for p in fluid.default_main_program().all_parameters()] == [
        "fc_0.w_0", "fc_0.b_0", "last.w_0", "last.b_0",
    ]  # fmt: skip
    assert out.name == "last.tmp_1"


def test_the_same_network_built_in_two_guards_shares_its_parameters():
    names = []
    for _ in range(2):
        with fluid.unique_name.guard(), fluid.program_guard(fluid.Program(), fluid.Program()):
            fluid.layers.fc(fluid.data("x", [None, 4]), 3)
            names.append([p.name for p in fluid.default_main_program().all_parameters()])
    assert names[0] == names[1] == ["fc_0.w_0", "fc_0.b_0"]


def test_name_scopes_mark_operators_and_leave_variable_names_alone():
    x = fluid.data("x", [None, 4])
    with fluid.name_scope("encoder"):
        y = fluid.layers.relu(x)
        with fluid.name_scope("inner"):
            fluid.layers.relu(y)
    with fluid.name_scope("encoder"):
        fluid.layers.relu(x)
    scopes = [op.attr("op_namescope") for op in fluid.default_main_program().global_block().ops]
    assert scopes == ["/encoder/", "/encoder/inner/", "/encoder_1/"]
    assert y.name == "relu_0.tmp_0"
