"""paddle.fluid.core: what programs ask of Fluid's compiled half."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import core


@pytest.fixture
def program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        yield main


def test_facts_about_operators():
    assert core.get_op_attrs_default_value(b"conv2d")["strides"] == [1, 1]
    assert core.has_non_empty_grad_op_maker("relu") and not core.has_non_empty_grad_op_maker("shape")
    assert core.has_grad_op_maker("shape") and core.has_infer_inplace("relu") and not core.has_infer_inplace("conv2d")
    assert core.infer_no_need_buffer_slots("mean_grad", {}, {}, {}) == {"X"}
    with pytest.raises(core.EnforceNotMet, match="operator 'nonsense' does not exist"):
        core.has_grad_op_maker("nonsense")


def test_kinds_of_attributes_are_compared(program):
    fluid.layers.scale(fluid.data("x", [2]), 2.0)
    (op,) = program.global_block().ops
    assert op.attr_type("scale") == core.AttrType.FLOAT and op.attr_type("bias_after_scale") == core.AttrType.BOOL


def test_flags_are_read_and_set():
    flags = core.globals()
    assert "FLAGS_benchmark" in flags and flags.is_public("FLAGS_benchmark") and flags.get("FLAGS_none", 3) == 3
    core._set_eager_deletion_mode(1.5, 0.5, False)
    assert fluid.get_flags("FLAGS_eager_delete_tensor_gb") == {"FLAGS_eager_delete_tensor_gb": 1.5}
    core._set_eager_deletion_mode(0.0, 1.0, True)
    core.init_gflags(["--benchmark=true", "--tryfromenv=x"])
    assert flags["FLAGS_benchmark"]
    flags["FLAGS_benchmark"] = False


def test_gradient_operators_and_pruned_programs_as_descs(program):
    x = fluid.data("x", [None, 2])
    h = fluid.layers.relu(x)
    fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(fluid.layers.fc(h, 1)))
    (grad,), written = core.get_grad_op_desc(program.global_block().ops[0].desc, set(), [])
    assert (grad.type(), grad.input("Out@GRAD"), written) == ("relu_grad", [h.name + "@GRAD"], {"x@GRAD": "x"})
    forward, blocks = core.prune_backward(program.desc)
    assert [forward.block(0).op(i).type() for i in range(4)] == ["relu", "mul", "elementwise_add", "mean"]
    assert forward.block(0).op_size() == 4 and blocks == {0: 0}
    part, _ = core.prune(program.desc, set(), [[0, 0]])
    assert part.block(0).op_size() == 1


def test_a_file_says_which_release_it_needs(program):
    fluid.layers.relu(fluid.data("x", [2]))
    plain = program.desc.serialize_to_string()
    assert core.save_op_compatible_info(program.desc)
    desc = fluid.proto.framework_pb2.ProgramDesc.FromString(program.desc.serialize_to_string())
    assert len(desc.op_compatible_map.pair) == 64 and desc.op_compatible_map.default_required_version == "1.5.0"
    assert not fluid.proto.framework_pb2.ProgramDesc.FromString(plain).op_compatible_map.pair


def test_feeds_and_fetches_in_columns_of_a_scope():
    scope, tensor = core.Scope(), core.LoDTensor()
    tensor.set(np.ones((1, 2), "float32"), core.CPUPlace())
    core.set_feed_variable(scope, tensor, "feed", 1)
    assert np.array(core.get_fetch_variable(scope, "feed", 1)).tolist() == [[1.0, 1.0]]
    with pytest.raises(ValueError, match="'feed' has no column 2; it has 2"):
        core.get_fetch_variable(scope, "feed", 2)
    scope.var("x").get_tensor().set(np.zeros(1, "float32"), core.CPUPlace())
    assert np.array(core.get_variable_tensor(scope, "x")).tolist() == [0.0]


def test_tensors_come_from_dlpack():
    assert np.array(core.from_dlpack(np.arange(3, dtype="float32"))).tolist() == [0.0, 1.0, 2.0]


def test_the_profiler_has_states(tmp_path, capsys):
    core.set_tracer_option(core.TracerOption.kDefault)
    core.enable_profiler(core.ProfilerState.kCPU)
    assert core.is_profiler_enabled()
    core.disable_profiler(core.EventSortingKey.kTotal, str(tmp_path / "profile"))
    assert not core.is_profiler_enabled() and (tmp_path / "profile").exists() and capsys.readouterr().out
    with pytest.raises(ValueError, match="enable_profiler: state must be kCPU, kCUDA or kAll"):
        core.enable_profiler(core.kDisabled)


def test_the_tracer_switches_the_mode():
    with fluid.dygraph.guard():
        tracer = fluid.framework._dygraph_tracer()
        core._switch_tracer(None)
        assert not fluid.in_dygraph_mode()
        core._switch_tracer(tracer)
        x = fluid.dygraph.to_variable(np.array([3.0], "float32"))
        x.stop_gradient = False
        (dx,) = core.dygraph_partial_grad(
            [x], [x * x], [], [], None, core.BackwardStrategy(), False, False, False, True
        )
        assert dx.numpy().tolist() == [6.0]


def test_the_passes_of_a_predictor_can_be_edited():
    config = core.AnalysisConfig("")
    config.pass_builder().append_pass("my_pass")
    config.delete_pass("conv_bn_fuse_pass")
    assert "conv_bn_fuse_pass" not in config.pass_builder().all_passes()
    assert config.pass_builder().all_passes()[-1] == "my_pass" and core.GpuPassStrategy().use_gpu()


def test_commands_sizes_and_what_is_there():
    assert core.run_cmd("echo hi") == "hi\n" and core.run_cmd("exit 3", 5, 1) == ""
    assert (core.size_of_dtype(core.VarDesc.VarType.FP16), core.paddle_dtype_size(core.PaddleDType.INT64)) == (2, 8)
    assert core.paddle_tensor_to_bytes(core.PaddleTensor(np.array([1, 2], "int32"))) == b"\1\0\0\0\2\0\0\0"
    assert core.is_compiled_with_dist() and not core.is_compiled_with_brpc() and core._is_program_version_supported(0)
    assert fluid.core_avx.VarDesc is core.VarDesc and fluid.core_avx._Scope is core.Scope


def test_passes_of_graphs_are_listed():
    builder = core.PassBuilder()
    builder.append_pass("graph_viz_pass")
    builder.insert_pass(0, "graph_to_program_pass")
    builder.remove_pass(1)
    assert [one.type() for one in builder.all_passes()] == ["graph_to_program_pass"]
