"""Write tests/fixtures/recurrent.json from the real Fluid 1.8.5: python tools/oracle/record_recurrent.py"""

import os

from arrays import array, write
from recurrent import NETWORKS, run

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "recurrent.json")


def main():
    recorded = {}
    for name in NETWORKS:
        results = run(name)
        recorded[name] = {
            "outputs": [array(value) for value in results["outputs"]],
            "lods": results["lods"],
            "gradients": {key: array(value) for key, value in results["gradients"].items()},
        }
    write(TARGET, recorded)


if __name__ == "__main__":
    main()
