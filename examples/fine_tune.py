"""Fine-tune a model that Fluid 1.8.5 saved: it knows the digits 0 to 4 and learns all ten.

The convolutions come from the saved folder; the last layer is new, because it has ten outputs instead of five. The same
network from random weights, trained for as many steps, shows what the saved ones are worth.
"""

import argparse
from pathlib import Path

import numpy as np

import paddle
import paddle.fluid as fluid

SAVED = Path(__file__).parent / "models" / "low_digits"


def arrays(reader):
    """The images [N, 1, 28, 28] and the labels [N, 1] of a whole reader."""
    images, labels = zip(*reader(), strict=True)
    return np.array(images, "float32").reshape(-1, 1, 28, 28), np.array(labels, "int64").reshape(-1, 1)


def build():
    """The network of the saved model, whose parameters have the same names, with ten outputs; and its training."""
    image = fluid.data("image", [None, 1, 28, 28], "float32")
    label = fluid.data("label", [None, 1], "int64")
    features = image
    for number, filters in enumerate((8, 16)):
        features = fluid.layers.conv2d(
            features, filters, 5, act="relu", param_attr=f"conv{number}.w", bias_attr=f"conv{number}.b"
        )
        features = fluid.layers.pool2d(features, 2, "max", 2)
    prediction = fluid.layers.fc(features, 10, act="softmax", param_attr="ten.w", bias_attr="ten.b")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    accuracy = fluid.layers.accuracy(prediction, label)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(0.002).minimize(loss)
    return accuracy, test


def predict_with_the_saved_model(exe, images):
    """What the model gives as it was saved: probabilities of the digits 0 to 4."""
    with fluid.scope_guard(fluid.Scope()):
        program, (name,), targets = fluid.io.load_inference_model(str(SAVED), exe)
        return exe.run(program, feed={name: images}, fetch_list=targets)[0]


def train(exe, steps, saved, training, testing):
    """The accuracy on digits that were not trained on, after `steps` batches of 32."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 1
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup), fluid.unique_name.guard():
        accuracy, test = build()
        exe.run(startup)
        if saved:
            kept = [parameter for parameter in main.all_parameters() if (SAVED / parameter.name).exists()]
            fluid.io.load_vars(exe, str(SAVED), main, vars=kept)
        images, labels = training
        random = np.random.RandomState(0)
        for _ in range(steps):
            rows = random.randint(0, len(images), 32)
            exe.run(main, feed={"image": images[rows], "label": labels[rows]})
        (value,) = exe.run(test, feed={"image": testing[0], "label": testing[1]}, fetch_list=[accuracy])
    return float(value[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    steps = parser.parse_args().steps
    exe = fluid.Executor(fluid.CPUPlace())
    training, testing = arrays(paddle.dataset.mnist.train()), arrays(paddle.dataset.mnist.test())

    low = testing[1].ravel() < 5
    predicted = predict_with_the_saved_model(exe, testing[0][low]).argmax(axis=1)
    print(f"as it was saved, on the digits 0 to 4: {(predicted == testing[1][low].ravel()).mean():.1%}")
    print(f"ten digits, {steps} steps from random weights: {train(exe, steps, False, training, testing):.1%}")
    print(f"ten digits, {steps} steps from the saved weights: {train(exe, steps, True, training, testing):.1%}")


if __name__ == "__main__":
    main()
