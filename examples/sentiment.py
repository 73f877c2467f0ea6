"""Sentiment of sentences by an LSTM over LoD sequences, saved and used as an inference model.

Sentences are made of words with a mood and of words without one; `not` turns the mood of the word behind it around, so
that counting words is not enough. Sentences of different lengths stand in one batch without padding.
"""

import argparse
import random
import tempfile

import numpy as np

import paddle
import paddle.fluid as fluid

GOOD = "good great lovely funny warm clever".split()
BAD = "bad dull awful boring cold silly".split()
PLAIN = "the film was and story with a very plot actor scene music".split()
NUMBERS = {word: number for number, word in enumerate(["not", *GOOD, *BAD, *PLAIN])}


def samples(count, seed):
    """A reader of (numbers of the words, 1 for a good and 0 for a bad sentence)."""

    def reader():
        draw = random.Random(seed)
        yielded = 0
        while yielded < count:
            words, mood = [], 0
            for _ in range(draw.randint(3, 12)):
                kind = draw.choice(["good", "bad", "plain", "plain"])
                if kind == "plain":
                    words.append(draw.choice(PLAIN))
                else:
                    turned = draw.random() < 0.4
                    words += ["not"] * turned + [draw.choice(GOOD if kind == "good" else BAD)]
                    mood += 1 if (kind == "good") != turned else -1
            if mood:
                yielded += 1
                yield [NUMBERS[word] for word in words], [int(mood > 0)]

    return reader


def build():
    sentence = fluid.layers.data(name="sentence", shape=[1], dtype="int64", lod_level=1)
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    embedded = fluid.layers.embedding(sentence, size=[len(NUMBERS), 16])
    gates = fluid.layers.fc(embedded, size=4 * 32)
    hidden, _ = fluid.layers.dynamic_lstm(gates, size=4 * 32, use_peepholes=False)
    summary = fluid.layers.sequence_pool(hidden, pool_type="last")
    prediction = fluid.layers.fc(summary, size=2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    accuracy = fluid.layers.accuracy(prediction, label)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
    return [sentence, label], prediction, accuracy, test


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    steps = parser.parse_args().steps
    fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 1
    inputs, prediction, accuracy, test = build()
    place = fluid.CPUPlace()
    exe = fluid.Executor(place)
    exe.run(fluid.default_startup_program())
    feeder = fluid.DataFeeder(feed_list=inputs, place=place)
    for batch in paddle.batch(samples(32 * steps, seed=1), batch_size=32)():
        exe.run(feed=feeder.feed(batch))
    (value,) = exe.run(test, feed=feeder.feed(list(samples(500, seed=2)())), fetch_list=[accuracy])
    print(f"accuracy on 500 new sentences after {steps} steps: {float(value[0]):.1%}")

    with tempfile.TemporaryDirectory() as folder:
        fluid.io.save_inference_model(folder, ["sentence"], [prediction], exe)
        program, (name,), targets = fluid.io.load_inference_model(folder, exe)
        for text in (
            "a lovely film with clever music",
            "the plot was not good and very dull",
            "not bad and not boring",
        ):
            words = [[NUMBERS[word]] for word in text.split()]
            fed = fluid.create_lod_tensor(np.array(words, "int64"), [[len(words)]], place)
            (probabilities,) = exe.run(program, feed={name: fed}, fetch_list=targets)
            print(f"{'good' if probabilities[0, 1] > 0.5 else 'bad'} ({probabilities[0, 1]:.2f}): {text}")


if __name__ == "__main__":
    main()
