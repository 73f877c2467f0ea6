"""The passes of quantization where 1.8.5 has no recording: wrong arguments, and settings that it fails on."""

import numpy as np
import pytest
from tests.models.oracle import source

import paddle.fluid as fluid
from paddle.fluid import core
from paddle.fluid.contrib.slim.quantization import (
    AddQuantDequantPass,
    ConvertToInt8Pass,
    QuantizationFreezePass,
    QuantizationTransformPass,
)
from paddle.fluid.framework import IrGraph


def test_one_pass_puts_a_function_into_a_graph_for_training_and_one_for_testing():
    """1.8.5 fails on both: on an input that has no gradient, and on the second graph."""
    cases = source("slim_quantization")
    main, startup, test, predicted, loss = cases.network()
    exe = fluid.Executor()
    exe.run(startup)
    cases.set_weights(fluid.global_scope(), main)
    transform = QuantizationTransformPass(
        fluid.global_scope(), fluid.CPUPlace(), executor=exe, optimizer_func=lambda: fluid.optimizer.SGD(0.1),
        act_quantize_func=lambda x: fluid.layers.round(x * 8) / 8, weight_quantize_func=lambda w: w * 1.0,
    )  # fmt: skip
    training, testing = IrGraph(core.Graph(main.desc)), IrGraph(core.Graph(test.desc), for_test=True)
    transform.apply(training)
    transform.apply(testing)
    program = training.to_program()
    losses = [exe.run(program, feed=cases.batch(), fetch_list=[loss])[0].item() for _ in range(3)]
    assert np.isfinite(losses).all()
    assert "round" in [op.type for op in testing.to_program().global_block().ops]
    assert np.isfinite(exe.run(testing.to_program(), feed=cases.batch(), fetch_list=[predicted])[0]).all()


def test_wrong_arguments_are_named():
    scope, place = fluid.Scope(), fluid.CPUPlace()
    with pytest.raises(ValueError, match="activation_quantize_type must be of .*, got 'channel_wise_abs_max'"):
        QuantizationTransformPass(scope, place, activation_quantize_type="channel_wise_abs_max")
    with pytest.raises(ValueError, match="quantizable_op_type must be of .*, got 'relu'"):
        QuantizationTransformPass(scope, place, quantizable_op_type=["relu"])
    with pytest.raises(ValueError, match="AddQuantDequantPass: scope must be given"):
        AddQuantDequantPass()
    with pytest.raises(ValueError, match="ConvertToInt8Pass: place must be given"):
        ConvertToInt8Pass(scope, None)
    with pytest.raises(TypeError, match="QuantizationFreezePass: graph must be an IrGraph, got Program"):
        QuantizationFreezePass(scope, place).apply(fluid.Program())


def test_a_state_needs_a_scope():
    main = source("slim_quantization").network()[0]
    transform = QuantizationTransformPass(activation_quantize_type="moving_average_abs_max")
    with pytest.raises(ValueError, match="scope must be given"):
        transform.apply(IrGraph(core.Graph(main.desc)))


def test_a_window_of_scales_is_kept_by_each_place(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    cases = source("slim_quantization")
    main, startup, _, _, loss = cases.network()
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.global_scope()
    exe.run(startup)
    cases.set_weights(scope, main)
    graph = IrGraph(core.Graph(main.desc))
    transform = QuantizationTransformPass(
        scope, fluid.CPUPlace(), activation_quantize_type="range_abs_max", window_size=4
    )  # fmt: skip
    transform.apply(graph)
    compiled = fluid.CompiledProgram(graph.graph).with_data_parallel(loss_name=loss)
    losses = [exe.run(compiled, feed=cases.batch(), fetch_list=[loss])[0] for _ in range(2)]
    assert np.isfinite(losses).all()
    half = cases.batch()["image"][:2]
    np.testing.assert_allclose(scope.find_var("image.scale").get_tensor(), [np.abs(half).max()], rtol=1e-6)


def test_passes_that_note_scales_have_their_names_of_1_5_too():
    from paddle.fluid.contrib.slim import quantization

    assert quantization.ScaleForTrainingPass is quantization.OutScaleForTrainingPass
    assert quantization.ScaleForInferencePass is quantization.OutScaleForInferencePass
