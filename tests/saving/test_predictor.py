"""The predictor API: configurations, both ways to run, and batch norms folded into convolutions."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.models.oracle import ROOT
from tests.saving.models import trained

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet

core = fluid.core
FOLDER = ROOT / "tests" / "fixtures" / "models"


def predictor_of(name, **switches):
    folder = FOLDER / name / "combined"
    config = core.AnalysisConfig(str(folder / "model"), str(folder / "params"))
    for switch, value in switches.items():
        getattr(config, switch)(value)
    return core.create_paddle_predictor(config)


def source_of(predictor):
    """The plan that the predictor has run."""
    (plan,) = (plan for plan in predictor._program.plans.values() if hasattr(plan, "text"))
    return plan.text


def images(count=2):
    return np.random.RandomState(4).rand(count, 3, 8, 8).astype("float32")


def test_run_takes_tensors_in_order():
    predictor = predictor_of("linear")
    tensor = core.PaddleTensor(np.ones((2, 4), "float32"))
    assert (tensor.shape, tensor.dtype, tensor.lod) == ([2, 4], core.PaddleDType.FLOAT32, [])
    (out,) = predictor.run([tensor])
    assert out.name == "save_infer_model/scale_0.tmp_0" and out.shape == [2, 1]
    # 1.8.5 gave this for the same model
    assert np.allclose(out.as_ndarray(), -1.9410586) and np.allclose(out.data.float_data(), -1.9410586)


def test_run_takes_tensors_by_name():
    predictor = predictor_of("word2vec", switch_specify_input_names=True)
    words = {name: np.array([[i], [i + 1]]) for i, name in enumerate(predictor.get_input_names())}
    tensors = [core.PaddleTensor(array, name) for name, array in reversed(words.items())]
    (by_name,) = predictor.run(tensors)
    (in_order,) = predictor_of("word2vec").run([core.PaddleTensor(array) for array in words.values()])
    assert np.array_equal(by_name.as_ndarray(), in_order.as_ndarray())
    tensors[0].name = "stranger"
    with pytest.raises(EnforceNotMet, match="expected inputs"):
        predictor.run(tensors)


@pytest.mark.parametrize("kind", ["analysis", "native"])
def test_an_executor_predicts_with_a_configuration_as_in_1_5(kind):
    folder = FOLDER / "linear" / "combined"
    config = core.AnalysisConfig(str(folder / "model"), str(folder / "params"))
    if kind == "native":
        config = core.NativeConfig()
        config.prog_file, config.param_file = str(folder / "model"), str(folder / "params")
    compiled = fluid.CompiledProgram(fluid.Program()).with_inference_optimize(config)
    exe = fluid.Executor(fluid.CPUPlace())
    (out,) = exe.run(compiled, feed=[core.PaddleTensor(np.ones((2, 4), "float32"))])
    assert np.allclose(out.as_ndarray(), -1.9410586)
    with pytest.raises(
        ValueError, match="with_inference_optimize: expected an AnalysisConfig or a NativeConfig, got str"
    ):
        fluid.CompiledProgram(fluid.Program()).with_inference_optimize("model")


def test_zero_copy_run_keeps_tensors_between_runs():
    predictor = predictor_of("linear", switch_use_feed_fetch_ops=False)
    assert predictor.get_input_names() == ["x"] and predictor.get_input_tensor_shape() == {"x": [-1, 4]}
    x = predictor.get_input_tensor("x")
    for rows in (3, 1):
        x.reshape([rows, 4])
        x.copy_from_cpu(np.ones((rows, 4), "float32"))
        assert predictor.zero_copy_run()
        out = predictor.get_output_tensor(predictor.get_output_names()[0])
        assert out.shape() == [rows, 1] and np.allclose(out.copy_to_cpu(), -1.9410586)


def test_sequences_have_their_lod():
    predictor = predictor_of("sentiment")
    words = core.PaddleTensor(np.arange(6).reshape(6, 1))
    words.lod = [[0, 2, 6]]
    (out,) = predictor.run([words])
    assert out.shape == [2, 2]


@pytest.mark.parametrize("name", ["normalized", "resnet50"])
def test_batch_norms_are_folded_and_outputs_stay(name):
    size = {"normalized": 8, "resnet50": 32}[name]
    tensor = core.PaddleTensor(np.random.RandomState(4).rand(2, 3, size, size).astype("float32"))
    folded, plain = predictor_of(name), predictor_of(name, switch_ir_optim=False)
    for left, right in zip(folded.run([tensor]), plain.run([tensor]), strict=True):
        assert np.allclose(left.as_ndarray(), right.as_ndarray(), rtol=1e-5, atol=1e-6)
    assert "batch_norm(" not in source_of(folded) and "batch_norm(" in source_of(plain)


def test_a_bias_before_the_batch_norm_is_folded_too(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        image = fluid.layers.data(name="image", shape=[3, 8, 8], dtype="float32")
        start = fluid.initializer.Uniform(0.1, 0.9)
        x = fluid.layers.conv2d(image, 4, 3, bias_attr=fluid.ParamAttr(initializer=start))
        first = fluid.layers.batch_norm(x, param_attr=fluid.ParamAttr(initializer=start))
        second = fluid.layers.batch_norm(fluid.layers.conv2d(first, 4, 3, bias_attr=False))
        out = second + fluid.layers.conv2d(first, 4, 3)
    exe = fluid.Executor()
    exe.run(startup)
    fluid.io.save_inference_model(str(tmp_path), ["image"], [out], exe, main)
    config = core.AnalysisConfig(str(tmp_path))
    expected = exe.run(main.clone(for_test=True), feed={"image": images()}, fetch_list=[out])[0]
    predictor = core.create_paddle_predictor(config)
    (got,) = predictor.run([core.PaddleTensor(images())])
    assert np.allclose(got.as_ndarray(), expected, rtol=1e-5, atol=1e-6)
    assert "batch_norm(" not in source_of(predictor)


def test_a_predictor_has_a_scope_of_its_own():
    net = trained()
    before = net.values()
    predictor_of("linear").run([core.PaddleTensor(np.ones((1, 4), "float32"))])
    assert all(np.array_equal(value, before[name]) for name, value in net.values().items())


def test_clones_share_parameters_and_not_tensors():
    first = predictor_of("linear")
    second = first.clone()
    first.get_input_tensor("x").copy_from_cpu(np.ones((1, 4), "float32"))
    with pytest.raises(EnforceNotMet, match="x: there is no data yet"):
        second.zero_copy_run()


def test_clones_run_in_threads():
    first = predictor_of("normalized")
    expected = predictor_of("normalized", switch_ir_optim=False).run([core.PaddleTensor(images())])[0].as_ndarray()

    def runs(predictor):
        return [predictor.run([core.PaddleTensor(images())])[0].as_ndarray() for _ in range(20)]

    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(runs, [first.clone() for _ in range(4)]):
            assert all(np.allclose(one, expected, rtol=1e-5, atol=1e-6) for one in found)


def test_models_in_memory_and_old_configurations():
    folder = FOLDER / "linear" / "combined"
    program, params = (folder / "model").read_bytes(), (folder / "params").read_bytes()
    config = core.AnalysisConfig()
    config.set_model_buffer(program, len(program), params, len(params))
    old = core.NativeConfig()
    old.model_dir = str(FOLDER / "linear" / "separate")
    tensor = core.PaddleTensor(np.ones((1, 4), "float32"))
    left, right = (core.create_paddle_predictor(c).run([tensor])[0].as_ndarray() for c in (config, old))
    assert config.model_from_memory() and np.array_equal(left, right)


def test_a_configuration_in_the_older_form():
    config = core.AnalysisConfig("program", "params")
    assert not config.mkldnn_enabled() and config.memory_pool_init_size_mb() == 100
    config.enable_mkldnn()
    config.enable_use_gpu(200, 1)
    config.switch_specify_input_names(True)
    assert config.mkldnn_enabled() and config.memory_pool_init_size_mb() == 200
    native = config.to_native_config()
    assert (native.prog_file, native.param_file, native.model_dir) == ("program", "params", "")
    assert (native.use_gpu, native.device, native.specify_input_name) == (True, 1, True)


def test_refusals(tmp_path):
    with pytest.raises(EnforceNotMet, match="there is no folder"):
        core.create_paddle_predictor(core.AnalysisConfig(str(tmp_path / "no")))
    with pytest.raises(EnforceNotMet, match="there is no TensorRT here"):
        core.AnalysisConfig().enable_tensorrt_engine(1 << 20, precision_mode=core.AnalysisConfig.Precision.Half)
    predictor = predictor_of("linear")
    with pytest.raises(EnforceNotMet, match="expected 1 inputs"):
        predictor.run([])
    with pytest.raises(EnforceNotMet, match="there is no input 'z'; it has x"):
        predictor.get_input_tensor("z")
    with pytest.raises(EnforceNotMet, match="expected float32, int64 or int32, got bool"):
        core.PaddleTensor(np.array([True]))
    x = predictor.get_input_tensor("x")
    x.reshape([2, 4])
    with pytest.raises(EnforceNotMet, match="but 4 numbers were passed"):
        x.copy_from_cpu(np.ones((1, 4), "float32"))
