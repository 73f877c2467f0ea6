"""Recognise handwritten digits, once in the imperative and once in the static mode, as a Fluid program would.

One network serves both modes. Each mode trains it, tests it on digits it has not seen, saves it and loads it again;
a picture is read from a PNG file and predicted; an inference model is exported and run; the losses become a curve.
"""

import argparse
import os
import random
import sys
import time

import numpy as np
from PIL import Image
from tqdm import tqdm

import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import BatchNorm, Conv2D, Linear, Pool2D

BATCH_SIZE = 64
DIGIT = 3


class MNIST(fluid.dygraph.Layer):
    """Two convolutions of 5 x 5, each pooled and normalised, and a softmax over the ten digits."""

    def __init__(self):
        super().__init__()
        self.conv1 = Conv2D(num_channels=1, num_filters=20, filter_size=5)
        self.pool1 = Pool2D(pool_size=2, pool_stride=2, pool_type="max")
        self.norm1 = BatchNorm(20, act="relu")
        self.conv2 = Conv2D(num_channels=20, num_filters=50, filter_size=5)
        self.pool2 = Pool2D(pool_size=2, pool_stride=2, pool_type="max")
        self.norm2 = BatchNorm(50, act="relu")
        self.fc = Linear(50 * 4 * 4, 10, act="softmax")

    def forward(self, image):
        x = self.norm1(self.pool1(self.conv1(image)))
        x = self.norm2(self.pool2(self.conv2(x)))
        return self.fc(fluid.layers.reshape(x, [-1, 50 * 4 * 4]))


def arrays(batch):
    """The images [N, 1, 28, 28] and the labels [N, 1] of a list of samples."""
    images = np.array([image.reshape(1, 28, 28) for image, _ in batch]).astype("float32")
    labels = np.array([label for _, label in batch]).astype("int64").reshape(-1, 1)
    return images, labels


def moved(sample):
    """A digit a pixel to any side, so that a few thousand digits teach as much as more would."""
    image, label = sample
    return np.roll(image.reshape(28, 28), (random.randint(-1, 1), random.randint(-1, 1)), (0, 1)), label


def training_batches(settings):
    """As many batches as there are steps, from as many passes over the training digits as that takes."""
    random.seed(settings.seed)
    digits = paddle.reader.shuffle(paddle.dataset.mnist.train(), 5000)
    reader = paddle.batch(paddle.reader.map_readers(moved, digits), BATCH_SIZE, drop_last=True)
    step = 0
    while True:
        for batch in reader():
            if step == settings.steps:
                return
            step += 1
            yield arrays(batch)


def rates(settings):
    """When the learning rate changes, and its values: at the end small steps settle what the large ones found."""
    return [settings.steps * 3 // 4], [0.002, 0.0002]


def train(mode, settings, one_step):
    """Call one_step(images, labels) -> loss for every batch; a bar on a terminal, a line now and then elsewhere."""
    losses, start, terminal = [], time.time(), sys.stderr.isatty()
    with tqdm(total=settings.steps, desc=mode, unit="step", disable=not terminal) as bar:
        for images, labels in training_batches(settings):
            losses.append(float(one_step(images, labels)[0]))
            bar.update(1)
            if len(losses) % 100 == 0:
                bar.set_postfix(loss=f"{np.mean(losses[-100:]):.4f}")
                if not terminal:
                    print(f"{mode:<10}  step {len(losses):4}  loss {np.mean(losses[-100:]):.4f}", flush=True)
    seconds = time.time() - start
    images = settings.steps * BATCH_SIZE
    return losses, {"seconds to train": f"{seconds:.1f}", "images per second": f"{images / seconds:.0f}"}


def held_out_accuracy(predict):
    """The share of right answers of predict(images) -> probabilities on the digits kept from training."""
    right = []
    for batch in paddle.batch(paddle.dataset.mnist.test(), 100)():
        images, labels = arrays(batch)
        right.extend(predict(images).argmax(axis=1) == labels[:, 0])
    return f"{np.mean(right):.2%}"


def draw_digit(path):
    """Save a digit from the held-out ones as a PNG file ten times its size, white on black."""
    image = next(image for image, label in paddle.dataset.mnist.test()() if label == DIGIT)
    pixels = ((image.reshape(28, 28) + 1.0) / 2.0 * 255.0).astype("uint8")
    Image.fromarray(pixels).resize((280, 280), Image.BICUBIC).save(path)


def load_image(path):
    """A picture in the form of the training digits."""
    im = Image.open(path).convert("L")
    im = im.resize((28, 28), Image.ANTIALIAS)
    im = np.array(im).reshape(1, 1, 28, 28).astype(np.float32)
    return im / 255.0 * 2.0 - 1.0


def imperative(settings, picture):
    """Train, save, reload and predict with fluid.dygraph."""
    with fluid.dygraph.guard():
        fluid.default_startup_program().random_seed = settings.seed
        fluid.default_main_program().random_seed = settings.seed
        model = MNIST()
        rate = fluid.dygraph.PiecewiseDecay(*rates(settings), begin=0)
        adam = fluid.optimizer.AdamOptimizer(learning_rate=rate, parameter_list=model.parameters())

        def one_step(images, labels):
            label = fluid.dygraph.to_variable(labels)
            label.stop_gradient = True
            loss = fluid.layers.cross_entropy(model(fluid.dygraph.to_variable(images)), label)
            avg_loss = fluid.layers.mean(loss)
            avg_loss.backward()
            adam.minimize(avg_loss)
            model.clear_gradients()
            return avg_loss.numpy()

        losses, figures = train("imperative", settings, one_step)
        fluid.dygraph.save_dygraph(model.state_dict(), os.path.join(settings.out, "imperative"))

    with fluid.dygraph.guard():
        reloaded = MNIST()
        parameters, _ = fluid.dygraph.load_dygraph(os.path.join(settings.out, "imperative"))
        reloaded.set_dict(parameters)
        reloaded.eval()

        def predict(images):
            return reloaded(fluid.dygraph.to_variable(images)).numpy()

        figures["accuracy, reloaded"] = held_out_accuracy(predict)
        figures["the picture shows"] = str(predict(picture).argmax())
    return losses, figures


def static(settings, picture):
    """Train, save, reload, export and predict with fluid.Executor."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = settings.seed
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        pixel = fluid.layers.data(name="pixel", shape=[1, 28, 28], dtype="float32")
        label = fluid.layers.data(name="label", shape=[1], dtype="int64")
        prediction = MNIST()(pixel)
        avg_loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
        test = main.clone(for_test=True)
        rate = fluid.layers.piecewise_decay(*rates(settings))
        fluid.optimizer.AdamOptimizer(learning_rate=rate).minimize(avg_loss)

    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)

        def one_step(images, labels):
            return exe.run(main, feed={"pixel": images, "label": labels}, fetch_list=[avg_loss])[0]

        losses, figures = train("static", settings, one_step)
        fluid.io.save_persistables(exe, os.path.join(settings.out, "static"), main)
        fluid.io.save_inference_model(os.path.join(settings.out, "inference_model"), ["pixel"], [prediction], exe, main)

    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.load_persistables(exe, os.path.join(settings.out, "static"), main)

        def predict(images):
            labels = np.zeros([len(images), 1], "int64")  # the cloned program still computes the loss
            return exe.run(test, feed={"pixel": images, "label": labels}, fetch_list=[prediction])[0]

        figures["accuracy, reloaded"] = held_out_accuracy(predict)
        figures["the picture shows"] = str(predict(picture).argmax())
    return losses, figures


def exported(settings, picture):
    """Run the inference model, which knows nothing of this file."""
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, targets = fluid.io.load_inference_model(os.path.join(settings.out, "inference_model"), exe)

        def predict(images):
            return exe.run(program, feed={feeds[0]: images}, fetch_list=targets)[0]

        return {
            "accuracy, reloaded": held_out_accuracy(predict),
            "the picture shows": str(predict(picture).argmax()),
        }


def draw_curve(path, curves):
    """Save the losses of both modes, averaged over ten steps, as a PNG file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for mode, losses in curves:
        means = np.array(losses[: len(losses) // 10 * 10]).reshape(-1, 10).mean(axis=1)
        axes.semilogy(np.arange(len(means)) * 10 + 5, means, label=mode)
    axes.set_xlabel("step")
    axes.set_ylabel("loss, mean of 10 steps")
    axes.set_title(f"Handwritten digits, Adam, batches of {BATCH_SIZE}")
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def summary(columns):
    """A table with a line per figure and a column per mode."""
    names = ["seconds to train", "images per second", "accuracy, reloaded", "the picture shows"]
    print("\n" + " " * 20 + "".join(f"{title:>14}" for title, _ in columns))
    for name in names:
        print(f"{name:<20}" + "".join(f"{figures.get(name, '-'):>14}" for _, figures in columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join("build", "demo"), help="folder for what is written")
    # Not quite a pass over the official 60,000 digits, eleven over the 4,500 that stand in for them.
    parser.add_argument("--steps", type=int, default=800, help="batches to train on (default: 800)")
    parser.add_argument("--seed", type=int, default=90, help="for parameters and the order of the digits (default: 90)")
    settings = parser.parse_args()
    out = settings.out
    os.makedirs(out, exist_ok=True)
    start = time.time()

    picture_path = os.path.join(out, f"infer_{DIGIT}.png")
    draw_digit(picture_path)
    picture = load_image(picture_path)
    imperative_losses, imperative_figures = imperative(settings, picture)
    static_losses, static_figures = static(settings, picture)
    exported_figures = exported(settings, picture)
    draw_curve(os.path.join(out, "loss_curve.png"), [("imperative", imperative_losses), ("static", static_losses)])

    summary([("imperative", imperative_figures), ("static", static_figures), ("exported", exported_figures)])
    print(f"\n{time.time() - start:.0f} seconds in all; written to {out}: {', '.join(sorted(os.listdir(out)))}")


if __name__ == "__main__":
    main()
