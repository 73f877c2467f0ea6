"""fluid.transpiler.details: small tools that transpilers use, and programs import."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

from refluid.core.errors import ArgumentError, EnforceNotMet
from refluid.distributed.store import split_endpoint
from refluid.distributed.world import patience
from refluid.ir.printer import print_block, print_operator, print_program, print_variable

if TYPE_CHECKING:
    from refluid.ir.block import Block
    from refluid.ir.operator import Operator
    from refluid.ir.program import Program
    from refluid.ir.variable import Variable

_LOOK = 0.05  # seconds between two looks for a server: all start at once, and a second would be a part of a short job


def wait_server_ready(endpoints: list[str]) -> None:
    """Wait until somebody listens at every endpoint; at most FLAGS_rpc_deadline (180 s; for ever in 1.8.5)."""
    if isinstance(endpoints, str):
        raise ArgumentError(f"wait_server_ready: endpoints must be a list, got {endpoints!r}")
    deadline, told = time.monotonic() + patience(), None
    while missing := [endpoint for endpoint in endpoints if not _listens(endpoint)]:
        if time.monotonic() > deadline:
            raise EnforceNotMet(f"nobody listens at {', '.join(missing)} within {patience():g} s")
        if missing != told:
            sys.stderr.write(f"waiting for {', '.join(missing)}\n")
            told = missing
        time.sleep(_LOOK)


def _listens(endpoint: str) -> bool:
    try:
        socket.create_connection(split_endpoint(endpoint), timeout=2).close()
    except OSError:
        return False
    return True


class UnionFind:
    """Disjoint sets of elements."""

    def __init__(self, elements: Iterable[Hashable] | None = None):
        self._parent = {element: element for element in elements or ()}

    def find(self, x: Hashable) -> Hashable:
        """What stands for the set of x; -1 if x is in none."""
        if x not in self._parent:
            return -1
        while self._parent[x] != x:
            self._parent[x] = self._parent[self._parent[x]]
            x = self._parent[x]
        return x

    def union(self, x: Hashable, y: Hashable) -> None:
        """Join the sets of x and y."""
        self._parent[self.find(x)] = self.find(y)

    def is_connected(self, x: Hashable, y: Hashable) -> bool:
        """Whether x and y are in one set."""
        return self.find(x) == self.find(y)


# -- programs -------------------------------------------------------------------------------------------------------


def delete_ops(block: Block, ops: Iterable[Any]) -> None:
    """Take operators out of a block."""
    for op in ops:
        block._remove_op(block.ops.index(op))


def find_op_by_input_arg(block: Block, arg_name: str) -> int:
    """The number of the first operator that reads a variable; -1 if none does."""
    return next((i for i, op in enumerate(block.ops) if arg_name in op.input_arg_names), -1)


def find_op_by_output_arg(block: Block, arg_name: str, reverse: bool = False) -> int:
    """The number of the first (or last) operator that writes a variable; -1 if none does."""
    numbers = range(len(block.ops) - 1, -1, -1) if reverse else range(len(block.ops))
    return next((i for i in numbers if arg_name in block.ops[i].output_arg_names), -1)


def program_to_code(prog: Program, fout: TextIO | None = None, skip_op_callstack: bool = True) -> None:
    """Print a program as text, to a file if one is given."""
    print(print_program(prog), file=fout)


def block_to_code(block: Block, block_idx: int, fout: TextIO | None = None, skip_op_callstack: bool = False) -> None:
    """Print a block as text."""
    print(print_block(block), file=fout)


def op_to_code(op: Operator, skip_op_callstack: bool = True) -> str:
    return print_operator(op)


def variable_to_code(var: Variable) -> str:
    return print_variable(var)
