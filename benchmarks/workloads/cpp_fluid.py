"""The models of cpp_refluid.py by the predictor of Fluid 1.8, which is C++ behind a thin Python API."""

import tempfile

import numpy as np

import paddle.fluid as fluid
from workloads.infer_fluid import SIZE, lenet, resnet


def prediction(network, batch, shape, times):
    exe = fluid.Executor(fluid.CPUPlace())
    prediction = network(fluid.data(name="image", shape=[None] + shape, dtype="float32"))
    exe.run(fluid.default_startup_program())
    with tempfile.TemporaryDirectory() as folder:
        fluid.io.save_inference_model(folder, ["image"], [prediction], exe)
        config = fluid.core.AnalysisConfig(folder)
        config.disable_gpu()
        config.enable_mkldnn()
        config.set_cpu_math_library_num_threads(2)
        config.switch_use_feed_fetch_ops(False)
        predictor = fluid.core.create_paddle_predictor(config)
    images = np.random.RandomState(0).uniform(-1, 1, [batch] + shape).astype("float32")
    source = predictor.get_input_tensor("image")
    target = predictor.get_output_tensor(predictor.get_output_names()[0])

    def step():
        for _ in range(times):
            source.copy_from_cpu(images)
            predictor.zero_copy_run()
            found = target.copy_to_cpu()
        return found

    return step


def lenet_1():
    return prediction(lenet, 1, [1, 28, 28], 50)


def lenet_16():
    return prediction(lenet, 16, [1, 28, 28], 50)


def resnet_1():
    return prediction(resnet, 1, [3, SIZE, SIZE], 1)


def resnet_16():
    return prediction(resnet, 16, [3, SIZE, SIZE], 1)
