"""Arrays as JSON: flat data of seven significant digits, shape, dtype."""

import json

import numpy as np


def number(value):
    """A Python number; floats keep seven significant digits, which is what 32 bits hold."""
    return float("%.7g" % value) if isinstance(value, float) else value


def array(value):
    value = np.asarray(value)
    return {
        "data": [number(item) for item in value.ravel().tolist()],
        "shape": list(value.shape),
        "dtype": str(value.dtype),
    }


def write(path, content):
    """Compact JSON with sorted keys, so that recording again changes nothing."""
    with open(path, "w") as file:
        json.dump(content, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")
