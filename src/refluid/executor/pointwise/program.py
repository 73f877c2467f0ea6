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
    widths: list[int] = []
    for result in results:
        if result not in numbers:
            numbers[result] = len(inputs) + len(widths)
            widths.append(len(result.parts) or 1)
            for part in result.parts or (result,):
                memory[part] = len(memory)
    instructions = _without_copies(_needed(code, results), memory)
    scratch = _scratch(instructions, memory)
    for operand in instructions:
        if operand not in memory and operand not in scratch:  # there are not enough registers
            memory[operand] = len(memory)
            widths.append(1)

    def register(operand: Operand) -> int:
        return memory[operand] if operand in memory else len(memory) + scratch[operand]

    text = _HEAD.pack(len(instructions), len(memory))
    for step in instructions:
        first, second = step.args[0], step.args[-1]
        text += _INSTRUCTION.pack(_opcode(step), register(step), register(first), register(second), step.number)
    return Program(text, len(inputs), tuple(widths), tuple(numbers[result] for result in results))


def _opcode(operand: Operand) -> Opcode:
    assert operand.opcode is not None  # it is no input
    return operand.opcode


def _needed(code: Code, results: Sequence[Operand]) -> list[Operand]:
    needed = {part for result in results for part in (result, *result.parts)}
    for step in reversed(code.instructions):
        if step in needed:
            needed.update(step.args)
    return [step for step in code.instructions if step in needed]


def _without_copies(instructions: list[Operand], memory: dict[Operand, int]) -> list[Operand]:
    """What is copied into a part of a result is computed there, if it needs no place of its own."""
    left = []
    for step in instructions:
        if step.opcode == Opcode.COPY and step.args[0] not in memory:
            memory[step.args[0]] = memory[step]
        else:
            left.append(step)
    return left


def _scratch(instructions: list[Operand], memory: dict[Operand, int]) -> dict[Operand, int]:
    """The registers of what is not in memory, as far as there are enough; each is used again."""
    last = {arg: i for i, step in enumerate(instructions) for arg in step.args}
    free = list(range(SCRATCH))[::-1]
    scratch: dict[Operand, int] = {}
    for i, step in enumerate(instructions):
        if step not in memory and free:
            scratch[step] = free.pop()
        # Only now: the kernel does not write where it reads.
        free += [scratch[arg] for arg in dict.fromkeys(step.args) if last[arg] == i and arg in scratch]
    return scratch
