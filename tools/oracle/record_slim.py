"""Write tests/fixtures/slim/<part>.json from the real Fluid 1.8.5: python tools/oracle/record_slim.py [part ...]"""

import importlib
import json
import os
import sys
import tempfile

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "fixtures", "slim")
PARTS = ("post_training", "quantization", "strategies")


def main(parts):
    os.makedirs(TARGET, exist_ok=True)
    os.environ["CPU_NUM"] = "1"
    for part in parts:
        cases = importlib.import_module("slim_" + part).CASES
        outcomes = {}
        for name in sorted(cases):
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)  # strategies leave files where they run
                outcomes[name] = cases[name]()
                os.chdir(TARGET)
        with open(os.path.join(TARGET, part + ".json"), "w") as file:
            json.dump(outcomes, file, indent=0, sort_keys=True)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:] or PARTS)
