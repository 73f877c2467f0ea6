"""The inputs of every work, the same numbers for every API (this file runs on Python 3.8 too)."""

import numpy as np

MNIST_BATCH = 64
RESNET_BATCH = 4
RESNET_SIZE = 112
RESNET_CLASSES = 1000
RESNET_STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # filters, blocks: the 50-layer network
MLP_BATCH = 128
MLP_WIDTH = 1024
CHAIN_REPEATS = 5  # of six operators each


def mnist():
    """Images [64, 1, 28, 28] float32 and labels [64, 1] int64."""
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (MNIST_BATCH, 1, 28, 28)).astype("float32")
    return images, rng.randint(0, 10, (MNIST_BATCH, 1)).astype("int64")


def linear():
    """The ten equations of y = 4a + 6b + 7c + 2d that the Fluid guide solves: [10, 4] and [10, 1] float32."""
    rng = np.random.RandomState(0)
    x = rng.randint(5, size=(10, 4)).astype("float32")
    return x, x.dot(np.array([[4], [6], [7], [2]], "float32"))


def chain():
    """The leaf and the two fixed operands of the chain of small operators, [16, 16] float32 each."""
    rng = np.random.RandomState(0)
    return tuple(rng.uniform(0.5, 1.5, (16, 16)).astype("float32") for _ in range(3))


def resnet():
    """Images [4, 3, 112, 112] float32 and labels [4, 1] int64."""
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (RESNET_BATCH, 3, RESNET_SIZE, RESNET_SIZE)).astype("float32")
    return images, rng.randint(0, RESNET_CLASSES, (RESNET_BATCH, 1)).astype("int64")


def mlp():
    """Inputs [128, 1024] float32 and labels [128, 1] int64."""
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (MLP_BATCH, MLP_WIDTH)).astype("float32")
    return x, rng.randint(0, 10, (MLP_BATCH, 1)).astype("int64")


# The small configuration of the PTB language model.
LSTM_VOCABULARY = 10000
LSTM_HIDDEN = 200
LSTM_LAYERS = 2
LSTM_STEPS = 20
LSTM_BATCH = 20
LSTM_CLIP = 5.0


def lstm():
    """Words and the words after them, [20, 20] int64 each, and the state to begin with, [20, 200] float32."""
    rng = np.random.RandomState(0)
    words = rng.randint(0, LSTM_VOCABULARY, (LSTM_BATCH, LSTM_STEPS + 1)).astype("int64")
    return words[:, :-1].copy(), words[:, 1:].copy(), np.zeros((LSTM_BATCH, LSTM_HIDDEN), "float32")


LARGE_VOCABULARY = 100_000


def lstm_large_vocabulary():
    """The same with words out of a large vocabulary; the words after them are out of the small one."""
    words, targets, zeros = lstm()
    return np.random.RandomState(1).randint(0, LARGE_VOCABULARY, words.shape).astype("int64"), targets, zeros


TRANSFORMER_LAYERS = 4
TRANSFORMER_WIDTH = 256
TRANSFORMER_HEADS = 8
TRANSFORMER_INNER = 1024
TRANSFORMER_DROPOUT = 0.1
TRANSFORMER_CLASSES = 10


def transformer():
    """Sequences [16, 64, 256] float32 and labels [16, 1] int64."""
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (16, 64, TRANSFORMER_WIDTH)).astype("float32")
    return x, rng.randint(0, TRANSFORMER_CLASSES, (16, 1)).astype("int64")


UNROLL_HIDDEN = 200
UNROLL_STEPS = 200


def unroll():
    """Sequences [32, 200, 200], the state to begin with [32, 200] and the target of the last one, float32."""
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (32, UNROLL_STEPS, UNROLL_HIDDEN)).astype("float32")
    return x, np.zeros((32, UNROLL_HIDDEN), "float32"), rng.uniform(-0.5, 0.5, (32, UNROLL_HIDDEN)).astype("float32")


CTR_SLOTS = 26
CTR_ROWS = 100_000  # of the table of each slot
CTR_WIDTH = 16
CTR_DENSE = 13
CTR_HIDDEN = (400, 400, 400)
CTR_BATCH = 256


def ctr():
    """Eight batches: ids [26, 256, 1] int64, dense features [256, 13] float32, and labels [256, 1] int64.

    Every label is 1, so that each step lowers the loss although the rows differ.
    """
    rng = np.random.RandomState(0)
    labels = np.ones((CTR_BATCH, 1), "int64")
    return [
        (
            rng.randint(0, CTR_ROWS, (CTR_SLOTS, CTR_BATCH, 1)).astype("int64"),
            rng.uniform(0, 1, (CTR_BATCH, CTR_DENSE)).astype("float32"),
            labels,
        )
        for _ in range(8)
    ]


# BERT-base.
BERT_LAYERS = 12
BERT_WIDTH = 768
BERT_HEADS = 12
BERT_INNER = 3072
BERT_WORDS = 30522
BERT_POSITIONS = 512


def bert():
    """Words, positions and the words to be found, [2, 64, 1] int64 each."""
    rng = np.random.RandomState(0)
    words, targets = rng.randint(0, BERT_WORDS, (2, 2, 64, 1)).astype("int64")
    return words, np.tile(np.arange(64).reshape(1, 64, 1), (2, 1, 1)).astype("int64"), targets
