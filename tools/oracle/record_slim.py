"""Write tests/fixtures/slim/<part>.json from the real Fluid 1.8.5: python tools/oracle/record_slim.py [part ...]"""

import importlib
import json
import os
import sys

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "slim")
PARTS = ("post_training", "quantization")


def main(parts):
    os.makedirs(TARGET, exist_ok=True)
    for part in parts:
        cases = importlib.import_module("slim_" + part).CASES
        with open(os.path.join(TARGET, part + ".json"), "w") as file:
            json.dump({name: cases[name]() for name in sorted(cases)}, file, indent=0, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:] or PARTS)
