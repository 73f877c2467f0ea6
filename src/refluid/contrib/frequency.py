"""Which operators a program has, and which follow which."""

from __future__ import annotations

from collections import Counter

from refluid.core.errors import DtypeError
from refluid.ir.program import Program

Counts = list[tuple[str, int]]


def op_freq_statistic(program: Program) -> tuple[Counts, Counts]:
    """How often each type of operator, and each pair of types, is in the global block.

    Returns:
        ([(type, count)], [("first->second", count)]), the most frequent first. An operator that writes parameters alone
        is not counted. A pair is one input (no parameter) of the second that the first writes.
    """
    if not isinstance(program, Program):
        raise DtypeError(f"op_freq_statistic: expected a fluid.Program, got {type(program).__name__}")
    block = program.global_block()
    parameters = {param.name for param in block.all_parameters()}
    single = Counter(op.type for op in block.ops if not set(op.output_arg_names) <= parameters)
    pairs: dict[str, Counter[str]] = {}  # by the second type, as it is first met
    writer: dict[str, str] = {}
    for op in block.ops:
        for name in op.input_arg_names:
            if name not in parameters and name in writer:
                pairs.setdefault(op.type, Counter())[f"{writer[name]}->{op.type}"] += 1
        writer.update(dict.fromkeys(op.output_arg_names, op.type))
    together: Counter[str] = Counter()
    for counts in pairs.values():
        together.update(counts)
    return single.most_common(), together.most_common()
