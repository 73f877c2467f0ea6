"""Write tests/fixtures/layer_classes.json from the real Fluid 1.8.5: python tools/oracle/record_layer_classes.py"""

import os

from arrays import array, write
from layer_classes import CLASSES, RANDOM, run

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "layer_classes.json")


def main():
    recorded = {}
    for name in [*CLASSES, *RANDOM]:
        results = run(name)
        recorded[name] = {"full_name": results["full_name"], "state": results["state"]}
        if "out" in results:
            recorded[name]["out"] = array(results["out"])
            recorded[name]["grads"] = {key: array(value) for key, value in results["grads"].items()}
    write(TARGET, recorded)


if __name__ == "__main__":
    main()
