"""Checks what trainers send against the variables of the server's program; anything else is refused."""

from __future__ import annotations

import re

import torch

from refluid.core.dtypes import TORCH
from refluid.distributed.server.service import Service
from refluid.distributed.server.transport import Refused
from refluid.distributed.server.wire import Value
from refluid.ir.program import Program
from refluid.tensor.selected_rows import SelectedRows

# The gradient of a trainer; the part of a distributed table's that belongs to a server.
OF_TRAINER = re.compile(r"(.+)\.trainer_(\d+)(\.pserver_\d+)?$")
_OF_TABLE = re.compile(r".+\.pserver_\d+$")  # whose rows may be of any id


class Gradients:
    """The variables of a server's program that a trainer's gradients are fed to.

    Where trainers wait for one another the program adds `g.trainer_0`, `g.trainer_1`, ...; in the other modes, and with
    one trainer that exchanges by a Communicator, it has `g` alone. A single trainer sends `g` in either case.
    """

    def __init__(self, service: Service):
        self._program = service.program
        self._declared: dict[str, tuple[list[int], torch.dtype | None]] = {}
        self._expected: list[dict[str, str]] = [{} for _ in range(service.trainers)]  # sent name -> name here
        summed: set[str] = set()
        for op in (op for number in service.block_numbers for op in service.program.blocks[number].ops):
            if op.type != "sum":
                continue
            for name in op.input_arg_names:
                if (parts := OF_TRAINER.match(name)) and int(parts[2]) < service.trainers:
                    self._expected[int(parts[2])][name] = name
                    summed.update(op.output_arg_names)
        for name in service.block_of.keys() - summed:
            for expected in self._expected:
                expected[name] = name

    def of(self, number: int) -> list[str]:
        """What a trainer sends, by the names here."""
        return list(self._expected[number])

    def taken(self, number: int, values: dict[str, Value], all_of_them: bool = True) -> dict[str, Value]:
        """The values by the names here, in the order of the program."""
        expected = self._expected[number]
        if len(self._expected) == 1:
            values = {name if name in expected else f"{name}.trainer_0": value for name, value in values.items()}
        lacks = expected.keys() - values.keys() if all_of_them else ()
        has = values.keys() - expected.keys()
        if lacks or has:
            told = [f"lacks {', '.join(sorted(lacks)[:5])}"] if lacks else []
            told += [f"has {', '.join(sorted(has)[:5])}, which this server does not take"] if has else []
            raise Refused("program", f"trainer {number} runs another program than this server: it {' and '.join(told)}")
        gradients = {name: values[name] for name in expected if name in values}
        for name, value in gradients.items():
            self._check(number, name, value)
        return gradients

    def _check(self, number: int, name: str, value: Value) -> None:
        if name not in self._declared:
            self._declared[name] = _declared(self._program, name)
        shape, dtype = self._declared[name]
        if dtype is not None and value.dtype != dtype:
            raise Refused("program", f"trainer {number} sends {name} as {value.dtype}, but the program has {dtype}")
        if isinstance(value, SelectedRows) and not _is_inside(value) and not _OF_TABLE.match(name):
            raise Refused("program", f"trainer {number} sends rows of {name} beyond its height {value.n_rows}")
        sizes = list(value.shape)
        if shape and sizes != shape and (len(sizes) != len(shape) or any(map(_differ, shape, sizes))):
            raise Refused("program", f"trainer {number} sends {name} of shape {sizes}, not {shape}")


def _declared(program: Program, name: str) -> tuple[list[int], torch.dtype | None]:
    """The shape and the dtype that a program says a variable has; an empty shape if it says nothing."""
    var = program.global_block().find_var(name)
    if var is None:
        return [], None
    return list(var.shape), None if var._dtype is None else TORCH.get(var._dtype)


def _differ(declared: int, found: int) -> bool:
    return declared not in (-1, found)


def _is_inside(rows: SelectedRows) -> bool:
    if not rows.index.numel():
        return True
    lowest, highest = rows.index.aminmax()
    return int(lowest) >= 0 and int(highest) < rows.n_rows
