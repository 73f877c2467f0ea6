"""Write tests/fixtures/updates.json from the real Fluid 1.8.5: python tools/oracle/record_updates.py"""

import json
import os

from updates import UPDATES, build

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "updates.json")


def main():
    with open(TARGET, "w") as file:
        json.dump({name: build(name) for name in UPDATES}, file, indent=0, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
