"""Helpers that Fluid's modules share with one another, and programs import with them."""

import copy
import logging

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import core, framework, unique_name
from paddle.fluid.backward import (
    ProgramStats,
    _append_grad_suffix_,
    _get_no_grad_set_name,
    _infer_var_data_type_shape_,
    _some_in_set_,
    _strip_grad_suffix_,
)
from paddle.fluid.executor import (
    as_numpy,
    check_feed_shape_type,
    dimension_is_compatible_with,
    has_feed_operators,
    has_fetch_operators,
)
from paddle.fluid.layers.utils import _contain_var, _get_shape_tensor_inputs, _is_symmetric_padding


@pytest.fixture
def program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        yield main


def test_the_generator_of_names_can_be_looked_at_copied_and_put_back():
    with unique_name.guard("A"):
        before = copy.deepcopy(unique_name.generator)
        assert (before.prefix, unique_name.generate("fc"), unique_name.generate_with_ignorable_key("x.tmp")) == (
            "A", "Afc_0", "Ax.tmp_0",
        )  # fmt: skip
        assert unique_name.generator.ids["fc"] == 1
        old, checker = unique_name.switch(before)
        assert unique_name.generate("fc") == "Afc_0"
        unique_name.switch(old, checker)
        assert unique_name.generate("fc") == "Afc_1" and unique_name.dygraph_parameter_name_checker is checker
    with fluid.dygraph.guard():
        assert unique_name.generate_with_ignorable_key("x.tmp") == "tmp_0"


def test_a_checker_of_parameter_names_says_which_are_used():
    with fluid.dygraph.guard():
        weight = fluid.dygraph.Linear(2, 1).weight
        found = [unique_name.dygraph_parameter_name_checker(name) for name in (weight.name, "own", "own")]
    assert found == [True, False, True]


def test_reserved_names():
    assert framework.grad_var_name("x") == _append_grad_suffix_(b"x") == "x" + core.grad_var_suffix() == "x@GRAD"
    assert _strip_grad_suffix_("x@GRAD@RENAME@block0@1") == "x"
    assert (core.kEmptyVarName(), core.var_names.temp(), framework.ZERO_VAR_SUFFIX) == ("@EMPTY@", "@TEMP@", "@ZERO")
    assert framework.generate_control_dev_var_name().startswith("__control_var@__control_var_")
    assert core.op_proto_and_checker_maker.kOpRoleAttrName() == "op_role"
    assert int(core.op_proto_and_checker_maker.OpRole.Backward) == 1


def test_sets_of_names_for_no_gradient(program):
    x = fluid.data("x", [2])
    assert _get_no_grad_set_name({x, "y"}) == {"x", "y"} and _get_no_grad_set_name(None) == set()
    with pytest.raises(TypeError, match="no_grad_set must hold variables or names, got int"):
        _get_no_grad_set_name([1])
    assert _some_in_set_(["a", b"b"], {"b"}) and not _some_in_set_([], {"b"})
    block = program.global_block()
    block.create_var(name="x@GRAD", dtype="int64")
    _infer_var_data_type_shape_("x@GRAD", block)
    assert (block.var("x@GRAD").dtype, block.var("x@GRAD").shape) == (core.VarDesc.VarType.FP32, (2,))


def test_protos_of_operators_are_messages():
    holder = framework.OpProtoHolder.instance()
    proto = holder.get_op_proto("conv2d")
    assert [slot.name for slot in proto.inputs][:2] == ["Input", "Filter"] and holder.has_op_proto("mul")
    assert "op_role" in holder.generated_op_attr_names()
    assert "strides" in {attr.name for attr in proto.attrs if not attr.generated}
    again = fluid.proto.framework_pb2.OpProto.FromString(core.get_all_op_protos()[0])
    assert again == framework.get_all_op_protos()[0]
    with pytest.raises(ValueError, match="OpProtoHolder: there is no operator 'nonsense'"):
        holder.get_op_proto("nonsense")


def test_modes_are_switched_by_guards_of_the_tracer():
    with fluid.dygraph.guard():
        tracer = framework._dygraph_tracer()
        with framework._dygraph_guard(None):
            assert not framework.in_dygraph_mode()
            with framework._dygraph_guard(tracer):
                assert framework.in_dygraph_mode()
        with framework._dygraph_place_guard(fluid.CPUPlace()):
            assert framework._varbase_creator(dtype="int64", shape=[2]).shape == [2]


def test_functions_of_one_mode_say_so():
    static = framework.dygraph_not_support(len)
    assert static([1]) == 1
    with pytest.raises(AssertionError, match="len works in the imperative mode alone"):
        framework.dygraph_only(len)([1])
    with fluid.dygraph.guard(), pytest.raises(AssertionError, match="len works in the static mode alone"):
        static([1])
    with pytest.raises(AssertionError, match="len is a method of variables of the imperative mode"):
        framework.fake_interface_only(len)([1])


def test_values_become_numpy_arrays_unless_they_have_a_lod():
    tensor = fluid.create_lod_tensor(np.ones((3, 1), "float32"), [], fluid.CPUPlace())
    assert as_numpy([tensor])[0].shape == (3, 1) and as_numpy(fluid.LoDTensor()) is None
    with pytest.raises(RuntimeError, match="as_numpy: the tensor has a LoD"):
        as_numpy(fluid.create_lod_tensor(np.ones((3, 1), "float32"), [[2, 1]], fluid.CPUPlace()))


def test_feeds_are_compared_with_what_is_declared(program):
    x = fluid.data("x", [None, 2])
    tensor = fluid.create_lod_tensor(np.ones((4, 2), "float32"), [], fluid.CPUPlace())
    assert check_feed_shape_type(x, tensor, num_places=2) and dimension_is_compatible_with([None, 2], [-1, 2])
    wrong = fluid.create_lod_tensor(np.ones((4, 3), "float32"), [], fluid.CPUPlace())
    with pytest.raises(ValueError, match=r"feed 'x': the variable is declared \[-1, 2\], got the shape \[4, 3\]"):
        check_feed_shape_type(x, wrong)


def test_feed_and_fetch_operators_are_added_and_found(program):
    x = fluid.data("x", [None, 2])
    y = fluid.layers.scale(x, 2.0)
    block = program.global_block()
    assert not has_feed_operators(block, {"x": None}, "feed") and not has_fetch_operators(block, [y], "fetch")
    fluid.io.prepend_feed_ops(program, ["x"])
    fluid.io.append_fetch_ops(program, [y.name])
    assert [op.type for op in block.ops] == ["feed", "scale", "fetch"]
    assert has_feed_operators(block, {"x": None}, "feed") and has_fetch_operators(block, [y], "fetch")
    with pytest.raises(ValueError, match="the program has feed operators for x, not for z"):
        has_feed_operators(block, {"z": None}, "feed")


def test_what_belongs_to_an_optimizer_is_told_from_parameters(program):
    x = fluid.data("x", [None, 2])
    fluid.optimizer.Adam(0.1).minimize(fluid.layers.mean(fluid.layers.fc(x, 1)))
    kept = [var.name for var in program.list_vars() if fluid.io.is_belong_to_optimizer(var)]
    assert "learning_rate_0" in kept and "fc_0.w_0" not in kept and "fc_0.w_0_moment1_0" in kept


def test_shapes_with_variables_become_inputs_of_an_operator(program):
    size = fluid.data("size", [1], "int32")
    assert _contain_var([1, size]) and not _contain_var([1])
    inputs, attrs = {}, {}
    _get_shape_tensor_inputs(inputs, None, attrs, [2, size], "fill_constant")
    assert attrs == {"shape": [2, -1]} and inputs["ShapeTensorList"][1] is size
    assert _is_symmetric_padding([1, 1, 2, 2], 2) and not _is_symmetric_padding([1, 0, 2, 2], 2)


def test_the_statistics_of_a_program_know_who_reads_what(program):
    x = fluid.data("x", [None, 2])
    h = fluid.layers.dropout(fluid.layers.scale(x, 2.0), 0.5)
    y = fluid.layers.scale(h, 3.0)
    stats = ProgramStats(program.global_block(), program.global_block().ops)
    stats.build_stats()
    assert 'type: "scale"' in fluid.backward.serialize_op_decs(stats.ops[0].desc)
    assert stats.get_input_nodes() == ["x"]
    assert stats.is_subgraph(["x"], [y.name]) == (True, 0, 2)
    assert stats.sort_checkpoints([y.name, "nowhere", h.name]) == [h.name, y.name]
    assert stats.get_out_of_subgraph_vars(1, 2)[0] == h.name
    stats.modify_forward_desc_for_recompute()
    assert [op.type for op in stats.ops] == ["scale", "seed", "dropout", "scale"]


def test_batches_of_samples_are_made_by_hand(program):
    x = fluid.data("x", [None, 2])
    provider = fluid.data_feeder.BatchedTensorProvider(
        [x], fluid.CPUPlace(), 2, lambda: ((np.full(2, i, "float32"),) for i in range(3)), drop_last=False
    )
    assert [np.array(batch[0]).tolist() for batch in provider()] == [[[0, 0], [1, 1]], [[2, 2]]]
    converter = fluid.data_feeder.DataToLoDTensorConverter(fluid.CPUPlace(), 1, [-1, 1], "int64")
    converter.feed([1, 2])
    converter.feed([3])
    assert converter.done().recursive_sequence_lengths() == [[2, 1]]


def test_scopes_are_stacked():
    funcs = fluid.default_scope_funcs
    funcs.var("outer").set_int(1)

    def inside():
        funcs.var("inner")
        assert funcs.find_var("outer").get_int() == 1

    funcs.scoped_function(inside)
    assert funcs.find_var("inner") is None


def test_a_logger_of_ones_own_leaves_the_root_alone(capsys):
    logger = fluid.log_helper.get_logger("tests.names", logging.INFO, fmt="%(levelname)s %(message)s")
    logger.info("hello")
    assert capsys.readouterr().err == "INFO hello\n" and not logger.propagate


def test_what_is_old_says_so(capsys):
    @fluid.annotations.deprecated(since="1.0", instead="new")
    def old(x):
        """Old."""
        return x

    assert old(1) == 1 and "API old is deprecated since 1.0. Please use new instead." in capsys.readouterr().err


def test_places_of_any_kind():
    place = core.Place()
    place.set_place(fluid.CUDAPlace(1))
    assert place.is_gpu_place() and place.gpu_device_id() == 1 and place == fluid.CUDAPlace(1)
    assert fluid.CPUPlace().is_cpu_place() and fluid.CPUPlace()._equals(fluid.CPUPlace())


def test_neighbours_of_operators_are_found(program):
    from paddle.fluid.contrib.mixed_precision.fp16_utils import find_op_index, find_true_post_op, find_true_prev_op

    x = fluid.data("x", [2])
    y = fluid.layers.relu(x)
    fluid.layers.tanh(y)
    first, second = ops = program.global_block().ops
    assert find_true_prev_op(ops, second, y.name) is first and find_true_prev_op(ops, first, "x") is None
    assert find_true_post_op(ops, first, y.name) == [second] and find_true_post_op(ops, second, y.name) is None
    assert find_op_index(program.global_block().desc, second.desc) == 1


def test_an_error_clip_of_ones_own_is_called(program):
    class Halve(fluid.clip.BaseErrorClipAttr):
        def _append_clip_op(self, block, grad_name):
            block.append_op("scale", {"X": grad_name}, {"Out": grad_name}, {"scale": 0.5})

    x = fluid.data("x", [2])
    x.stop_gradient = False
    y = fluid.layers.scale(x, 3.0)
    y.error_clip = Halve()
    fluid.backward.append_backward(
        fluid.layers.reduce_sum(y), parameter_list=[], callbacks=[fluid.clip.error_clip_callback]
    )
    (found,) = fluid.Executor().run(feed={"x": np.ones(2, "float32")}, fetch_list=["x@GRAD"])
    assert found.tolist() == [1.5, 1.5]


def test_cross_entropy2_is_the_operator(program):
    loss = fluid.layers.loss.cross_entropy2(fluid.data("p", [1, 2]), fluid.data("label", [1, 1], "int64"))
    feed = {"p": np.array([[0.25, 0.75]], "float32"), "label": np.array([[1]])}
    np.testing.assert_allclose(fluid.Executor().run(feed=feed, fetch_list=[loss])[0], [[-np.log(0.75)]], rtol=1e-6)


def test_parts_of_the_translator_have_their_names():
    from paddle.fluid.dygraph.dygraph_to_static.ast_transformer import convert_to_static
    from paddle.fluid.dygraph.dygraph_to_static.convert_call_func import is_builtin, is_paddle_func
    from paddle.fluid.dygraph.jit import create_program_from_desc, extract_vars

    def positive(x):
        if fluid.layers.mean(x) > 0:
            return x
        return x * 0.0

    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        out = convert_to_static(positive)(fluid.data("x", [2]))
        assert extract_vars([out, (1, [out])]) == [out, out]
        (found,) = fluid.Executor().run(feed={"x": -np.ones(2, "float32")}, fetch_list=[out])
    assert found.tolist() == [0.0, 0.0] and create_program_from_desc(main.desc) is main
    assert is_builtin(len) and is_paddle_func(fluid.layers.fc) and not is_paddle_func(positive)


def test_a_function_can_be_made_to_build_programs_inside_a_guard():
    @fluid.dygraph.base.switch_to_static_graph
    def built():
        return fluid.in_dygraph_mode()

    with fluid.dygraph.guard():
        assert not built() and fluid.in_dygraph_mode()


def test_the_path_from_inputs_to_outputs_is_found(program):
    from paddle.fluid.backward import _find_loss_op_, _find_op_path_, _is_grad_op_, _rename_arg_

    x, y = fluid.data("x", [2]), fluid.data("y", [2])
    out = fluid.layers.relu(x) + fluid.layers.tanh(y)
    fluid.layers.exp(y)
    block = program.global_block()
    assert [op.type for op in _find_op_path_(block, [out], [x], set())] == ["relu", "elementwise_add"]
    assert [op.type for op in _find_op_path_(block, [out], [], set())] == ["relu", "tanh", "elementwise_add"]
    loss = fluid.layers.mean(out)
    _find_loss_op_(loss)
    assert loss.op.type == "mean" and not _is_grad_op_(loss.op)
    _rename_arg_([op.desc for op in block.ops], "y", "z")
    assert block.ops[1].input("X") == ["z"] and framework._main_program_ is program


def test_operators_are_called_by_name(program):
    from paddle.fluid.layers.nn import _elementwise_op, _elementwise_op_in_dygraph, _logical_op

    x, y = fluid.data("x", [2]), fluid.data("y", [2])
    out = _elementwise_op(fluid.layer_helper.LayerHelper("elementwise_sub", x=x, y=y, axis=-1, act="relu"))
    both = _logical_op("logical_and", x=fluid.layers.less_than(x, y), y=fluid.layers.less_than(x, y))
    feed = {"x": np.array([1, 5], "float32"), "y": np.array([2, 3], "float32")}
    found = fluid.Executor().run(feed=feed, fetch_list=[out, both])
    assert [value.tolist() for value in found] == [[0.0, 2.0], [True, False]]
    with fluid.dygraph.guard():
        a = fluid.dygraph.to_variable(np.array([2.0], "float32"))
        assert framework._var_base_to_np(_elementwise_op_in_dygraph(a, a, op_name="elementwise_mul")).tolist() == [4.0]


def test_values_become_tensors():
    from paddle.fluid.executor import _as_lodtensor

    assert _as_lodtensor(3, fluid.CPUPlace(), "int64").shape() == [1]
    assert np.array(_as_lodtensor([[1, 2]], fluid.CPUPlace(), "float32")).dtype == np.float32
