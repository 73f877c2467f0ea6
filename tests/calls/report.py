"""How many calls agree with Fluid 1.8.5, and which do not: python -m tests.calls.report [subject ...]"""

import json
import sys
import warnings
from collections import Counter

from tests.calls.compare import differences
from tests.calls.tables import cases, recorded, subjects


def main() -> None:
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for subject in sys.argv[1:] or subjects():
        for key, case in cases(subject).items():
            fluid = recorded(subject).get(key)
            found = differences(fluid, json.loads(json.dumps(case["run"]()))) if fluid else ["not recorded"]
            kind = "alike" if not found else "differ, for a reason" if case["differs"] else "differ"
            counts[kind] += 1
            if found:
                print(f"{subject}: {key}\n    " + (case["differs"] or "\n    ".join(found)))
    print(f"{sum(counts.values())} calls: " + ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
