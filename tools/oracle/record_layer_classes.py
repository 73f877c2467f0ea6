"""Write tests/fixtures/layer_classes.json from the real Fluid 1.8.5: python tools/oracle/record_layer_classes.py"""

import os

from arrays import array, write
from layer_classes import CLASSES, RANDOM, run

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "layer_classes.json")


def main():
    recorded = {}
    for name in [*CLASSES, *RANDOM]:
        found = run(name)
        recorded[name] = {"full_name": found["full_name"], "state": found["state"]}
        if "out" in found:
            recorded[name]["out"] = array(found["out"])
            recorded[name]["grads"] = {key: array(value) for key, value in found["grads"].items()}
    write(TARGET, recorded)


if __name__ == "__main__":
    main()
