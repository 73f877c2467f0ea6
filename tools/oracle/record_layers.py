"""Write tests/fixtures/layers.json from the real Fluid 1.8.5: python tools/oracle/record_layers.py"""

import os

from arrays import array, write
from layer_cases import LAYERS, run

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "layers.json")


def main():
    recorded = {}
    for name in LAYERS:
        results = run(name)
        grads = {key: array(value) for key, value in results["grads"].items()}
        recorded[name] = {"out": array(results["out"]), "grads": grads, "ops": results["ops"]}
    write(TARGET, recorded)


if __name__ == "__main__":
    main()
