"""Write tests/fixtures/programs/<name>.json from the real Fluid 1.8.5: python record_programs.py [name ...]"""

import json
import os
import sys

import contrib_programs  # noqa: F401  registers its programs
import gallery  # noqa: F401
import programs  # noqa: F401
from catalog import PROGRAMS, build
from describe import describe

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "programs")


def main():
    os.makedirs(TARGET, exist_ok=True)
    for name in sys.argv[1:] or PROGRAMS:
        recorded = {role: describe(program) for role, program in sorted(build(name).items())}
        with open(os.path.join(TARGET, name + ".json"), "w") as file:
            json.dump(recorded, file, separators=(",", ":"), sort_keys=True)
            file.write("\n")
        print(name, sum(len(block["ops"]) for blocks in recorded.values() for block in blocks), "ops")


if __name__ == "__main__":
    main()
