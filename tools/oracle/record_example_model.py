"""Train the model that examples/fine_tune.py starts from, with the real Fluid 1.8.5.

    python tools/oracle/record_example_model.py digits.npz examples/models/low_digits

`digits.npz` holds images [N, 1, 28, 28] from -1 to 1 and labels [N]; with Refluid's Python:

    python tools/oracle/record_example_model.py --digits digits.npz

The network learns to tell the digits 0 to 4 apart and is saved by `save_inference_model`, one file per parameter.
"""

import sys

import numpy as np
from record_models import strip

import paddle
import paddle.fluid as fluid


def write_digits(path):
    images, labels = zip(*paddle.dataset.mnist.train()())
    np.savez_compressed(path, images=np.array(images).reshape(-1, 1, 28, 28).astype("float32"), labels=np.array(labels))


def train(path, folder):
    digits = np.load(path)
    low = digits["labels"] < 5
    images, labels = digits["images"][low], digits["labels"][low].reshape(-1, 1).astype("int64")
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 1
    with fluid.program_guard(main, startup):
        image = fluid.data("image", [None, 1, 28, 28], "float32")
        label = fluid.data("label", [None, 1], "int64")
        features = image
        for number, filters in enumerate((8, 16)):
            features = fluid.layers.conv2d(
                features, filters, 5, act="relu", param_attr="conv%d.w" % number, bias_attr="conv%d.b" % number
            )
            features = fluid.layers.pool2d(features, 2, "max", 2)
        prediction = fluid.layers.fc(features, 5, act="softmax", param_attr="head.w", bias_attr="head.b")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
        accuracy = fluid.layers.accuracy(prediction, label)
        fluid.optimizer.Adam(0.002).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    random = np.random.RandomState(0)
    for _ in range(300):
        rows = random.randint(0, len(images), 64)
        metrics = exe.run(main, {"image": images[rows], "label": labels[rows]}, [loss, accuracy])
    print("loss %.3f, accuracy %.3f" % tuple(float(value[0]) for value in metrics))
    fluid.io.save_inference_model(folder, ["image"], [prediction], exe, main)
    strip(folder + "/__model__")


if __name__ == "__main__":
    if sys.argv[1] == "--digits":
        write_digits(sys.argv[2])
    else:
        train(sys.argv[1], sys.argv[2])
