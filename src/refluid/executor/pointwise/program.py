"""The program of a run: its instructions as bytes, with a register for everything that they read and give."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from refluid.ops.pointwise import SCRATCH, Code, Opcode, Operand

_HEAD = struct.Struct("2q")
_INSTRUCTION = struct.Struct("4qd")


class Program(NamedTuple):
    """Operands in memory are the inputs, then the parts of new tensors: `made` tells how many lie side by side in each.

    `results` are numbers of inputs (what is handed on) or, from the number of inputs on, of new tensors.
    """

    text: bytes
    inputs: int
    made: tuple[int, ...]
    results: tuple[int, ...]


def program_of(code: Code, inputs: Sequence[Operand], results: Sequence[Operand]) -> Program:
    """The program that gives these results, without instructions that they do not need."""
    memory = {operand: i for i, operand in enumerate(inputs)}
    numbers = dict(memory)  # of inputs and results
    made: list[int] = []
    for result in results:
        if result not in numbers:
            numbers[result] = len(inputs) + len(made)
            made.append(len(result.parts) or 1)
            for part in result.parts or (result,):
                memory[part] = len(memory)
    instructions = _without_copies(_needed(code, results), memory)
    scratch = _scratch(instructions, memory)
    for operand in instructions:
        if operand not in memory and operand not in scratch:  # there are not enough registers
            memory[operand] = len(memory)
            made.append(1)

    def register(operand: Operand) -> int:
        return memory[operand] if operand in memory else len(memory) + scratch[operand]

    text = _HEAD.pack(len(instructions), len(memory))
    for one in instructions:
        a, b = one.args[0], one.args[-1]
        text += _INSTRUCTION.pack(_opcode(one), register(one), register(a), register(b), one.number)
    return Program(text, len(inputs), tuple(made), tuple(numbers[result] for result in results))


def _opcode(operand: Operand) -> Opcode:
    assert operand.opcode is not None  # it is no input
    return operand.opcode


def _needed(code: Code, results: Sequence[Operand]) -> list[Operand]:
    needed = {part for result in results for part in (result, *result.parts)}
    for one in reversed(code.instructions):
        if one in needed:
            needed.update(one.args)
    return [one for one in code.instructions if one in needed]


def _without_copies(instructions: list[Operand], memory: dict[Operand, int]) -> list[Operand]:
    """What is copied into a part of a result is computed there, if it needs no place of its own."""
    left = []
    for one in instructions:
        if one.opcode == Opcode.COPY and one.args[0] not in memory:
            memory[one.args[0]] = memory[one]
        else:
            left.append(one)
    return left


def _scratch(instructions: list[Operand], memory: dict[Operand, int]) -> dict[Operand, int]:
    """The registers of what is not in memory, as far as there are enough; each is used again."""
    last = {arg: i for i, one in enumerate(instructions) for arg in one.args}
    free = list(range(SCRATCH))[::-1]
    scratch: dict[Operand, int] = {}
    for i, one in enumerate(instructions):
        if one not in memory and free:
            scratch[one] = free.pop()
        # Only now: the kernel does not write where it reads.
        free += [scratch[arg] for arg in dict.fromkeys(one.args) if last[arg] == i and arg in scratch]
    return scratch
