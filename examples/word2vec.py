"""Word vectors from an N-gram model: words that are used alike get vectors that are alike.

The text is made by a small grammar, so that it needs no download and the answer is known: animals, foods and places
each stand in the same positions of a sentence. The model predicts the fifth word from four; its table of embeddings is
the result.
"""

import argparse
import itertools
import random

import numpy as np

import paddle
import paddle.fluid as fluid

WIDTH = 16
KINDS = {
    "animal": "cat dog horse mouse bird fox".split(),
    "food": "fish corn bread cheese apples honey".split(),
    "place": "barn garden house forest field kitchen".split(),
}
SENTENCES = [
    "the {animal} in the {place} likes {food}", "give the {food} to the {animal} in the {place}",
    "the {place} of the {animal} smells of {food}", "a {animal} eats {food} near the {place}",
]  # fmt: skip


def text(seed):
    """Sentences of the grammar for ever, as lists of words."""
    draw = random.Random(seed)
    while True:
        yield draw.choice(SENTENCES).format(**{kind: draw.choice(words) for kind, words in KINDS.items()}).split()


def word_numbers():
    plain = {word for sentence in SENTENCES for word in sentence.split() if "{" not in word}
    return {word: number for number, word in enumerate([*sorted(plain), *itertools.chain(*KINDS.values())])}


def grams(numbers, count):
    """A reader of (four words, the next one)."""

    def reader():
        yielded = 0
        for sentence in text(seed=1):
            for start in range(len(sentence) - 4):
                yield tuple([numbers[word]] for word in sentence[start : start + 5])
                yielded += 1
                if yielded == count:
                    return

    return reader


def build(size):
    words = [fluid.layers.data(name=f"word{i}", shape=[1], dtype="int64") for i in range(5)]
    table = fluid.ParamAttr(name="vectors")
    embedded = [fluid.layers.embedding(word, size=[size, WIDTH], param_attr=table) for word in words[:4]]
    hidden = fluid.layers.fc(fluid.layers.concat(embedded, axis=1), size=32, act="sigmoid")
    prediction = fluid.layers.fc(hidden, size=size, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, words[4]))
    fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
    return words, loss


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    steps = parser.parse_args().steps
    numbers = word_numbers()
    fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 1
    words, loss = build(len(numbers))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feeder = fluid.DataFeeder(feed_list=words, place=fluid.CPUPlace())
    for batch in paddle.batch(grams(numbers, 64 * steps), batch_size=64)():
        (value,) = exe.run(feed=feeder.feed(batch), fetch_list=[loss])
    print(f"loss after {steps} steps: {float(value[0]):.3f}")

    vectors = np.array(fluid.global_scope().find_var("vectors").get_tensor())
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = list(numbers)
    right = 0
    for kind, members in KINDS.items():
        for word in members:
            likeness = vectors @ vectors[numbers[word]]
            likeness[numbers[word]] = -1
            nearest = names[int(likeness.argmax())]
            right += nearest in members
            if word == members[0]:
                print(f"{kind}: the word nearest to {word} is {nearest}")
    total = sum(map(len, KINDS.values()))
    print(f"nearest words of the same kind: {right} of {total}")


if __name__ == "__main__":
    main()
