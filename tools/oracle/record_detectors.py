"""Write tests/fixtures/detectors.json from the real Fluid 1.8.5: python tools/oracle/record_detectors.py"""

import os

from arrays import array, number, write
from detectors import DETECTORS, run

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "detectors.json")


def main():
    recorded = {}
    for name in DETECTORS:
        ran = run(name)
        recorded[name] = dict(ran, losses=[number(loss) for loss in ran["losses"]], found=array(ran["found"]))
    write(TARGET, recorded)


if __name__ == "__main__":
    main()
