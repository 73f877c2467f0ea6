"""Write tests/fixtures/transpiled/<name>.json from the real Fluid 1.8.5: python record_transpiled.py [name ...]"""

import json
import os
import sys

from transpiled import CASES, build, describe_all

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "transpiled")


def main():
    os.makedirs(TARGET, exist_ok=True)
    for name in sys.argv[1:] or CASES:
        recorded = describe_all(build(name))
        with open(os.path.join(TARGET, name + ".json"), "w") as file:
            json.dump(recorded, file, separators=(",", ":"), sort_keys=True)
            file.write("\n")
        print(name, {role: sum(len(block["ops"]) for block in blocks) for role, blocks in recorded.items()})


if __name__ == "__main__":
    main()
