"""What the steps of different sizes share: constants, inputs, the clock (this file runs on Python 3.8 too)."""

import json
import sys
import time

import numpy as np

CLASSES = 10
BATCH_LAYERS, BATCH_WIDTH = 4, 256
DEPTH_BATCH, DEPTH_WIDTH = 32, 64
LENGTH_BATCH, LENGTH_WIDTH = 8, 64
SIDE = 16  # of the matrices of the chain of operators
ROUNDS, LEAST = 10, 0.04  # bursts, and processor seconds of each
MOST = 6.0  # seconds on the clock for all bursts of a size


def examples(batch, width):
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (batch, width)).astype("float32")
    return x, rng.randint(0, CLASSES, (batch, 1)).astype("int64")


def sequences(length):
    return np.random.RandomState(0).uniform(-1, 1, (LENGTH_BATCH, length, LENGTH_WIDTH)).astype("float32")


def seconds_of(step):
    """Processor seconds of a step: the least over bursts, after two steps of warming up."""
    step()
    step()
    best, end = float("inf"), time.time() + MOST
    for _ in range(ROUNDS):
        steps, start = 0, time.process_time()
        while steps == 0 or time.process_time() - start < LEAST:
            step()
            steps += 1
        best = min(best, (time.process_time() - start) / steps)
        if time.time() > end:
            break
    return best


def tell(works):
    """Print the figures that the command line asks for. A work yields its step, so that it can clean up."""
    name, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]]
    seconds = {}
    for size in sizes:
        for step in works[name](size):
            seconds[size] = seconds_of(step)
    print(json.dumps(seconds), flush=True)
