"""Infers and runs the rows in one process and prints what of torch's compiler that imported, and by which row.

    python -m tests.ops.run_every_row

A script, because other tests may have imported the compiler into their process; test_imports.py runs it.
"""

import json
import sys

from refluid.ops.infer import infer
from tests.ops import test_every_op as every
from tests.ops.both_modes import run_static
from tests.ops.calls import Call

COMPILER = ("torch._dynamo", "torch._inductor", "sympy")


def guilty() -> dict[str, str]:
    """The first row behind which each module of the compiler is there."""
    found = {name: "what is there before any row" for name in COMPILER if name in sys.modules}
    ran: set[str] = set()
    for row in every.ROWS:
        one = Call(row)
        infer(one.op, one.specs(), one.attrs)
        hidden = every._batch_slots(row, one)
        if hidden:
            infer(one.op, one.specs(hidden), one.attrs)
        if row.modes and row.op not in ran:  # one row of each runs, with its gradients
            ran.add(row.op)
            outs = one.forward()
            run_static(one, outs, one.out_grads(outs) if every.has_gradient(row) else None)
        for name in COMPILER:
            if name in sys.modules:
                found.setdefault(name, row.where)
    return found


if __name__ == "__main__":
    print(json.dumps(guilty()))
