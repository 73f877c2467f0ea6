"""Write tests/fixtures/collective_programs.json from the real Fluid 1.8.5: python record_collective_programs.py"""

import json
import os

from collective_programs import CASES, build, describe_all, noting_meetings

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "collective_programs.json")


def main():
    recorded = {}
    for name in CASES:
        with noting_meetings() as noted:
            recorded[name] = describe_all(build(name), noted)
        print(name, {role: len(blocks[0]["ops"]) for role, blocks in recorded[name].items()}, len(noted))
    with open(TARGET, "w") as file:
        json.dump(recorded, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
