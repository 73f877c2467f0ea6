"""Pointwise operators as instructions of native/kernels/pointwise.cpp; `@op.pointwise` attaches the rules.

A rule takes a `Code`, then what the kernel takes, and calls methods of the code in place of functions of torch:

    @elementwise_mul_grad.pointwise
    def _(code, X, Y, Out_grad, *, needs, axis):
        return code.multiply(Out_grad, Y) if needs[0] else None, code.multiply(Out_grad, X) if needs[1] else None

All tensors have the same shape by then, those too whose shape alone the kernel reads. What a kernel hands on as it is,
the rule hands on. A rule raises `NoCode` for attributes that it does not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from numbers import Real

SCRATCH = 16  # registers of the kernel that are not in memory


class Opcode(IntEnum):
    """What an instruction computes, as the kernel numbers it."""

    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    SIGMOID = 3
    TANH = 4
    RELU = 5
    SIGMOID_SLOPE = 6
    TANH_SLOPE = 7
    RELU_SLOPE = 8
    TIMES = 9
    PLUS = 10
    COPY = 11


class NoCode(Exception):
    """The operator cannot be written in instructions."""


class Operand:
    """What instructions read: an input, or what one of them gives."""

    __slots__ = ("args", "number", "opcode", "parts")

    def __init__(self, opcode: Opcode | None = None, args: tuple[Operand, ...] = (), number: float = 0.0):
        self.opcode, self.args, self.number = opcode, args, number
        self.parts: tuple[Operand, ...] = ()  # side by side along the last axis


class Code:
    """The instructions of a run of operators on tensors of so many axes."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.instructions: list[Operand] = []

    def _append(self, opcode: Opcode, *args: Operand, number: float = 0.0) -> Operand:
        if not isinstance(number, Real):  # the kernel tells what it takes
            raise NoCode
        result = Operand(opcode, args, number)
        self.instructions.append(result)
        return result

    def add(self, a: Operand, b: Operand) -> Operand:
        return self._append(Opcode.ADD, a, b)

    def subtract(self, a: Operand, b: Operand) -> Operand:
        return self._append(Opcode.SUBTRACT, a, b)

    def multiply(self, a: Operand, b: Operand) -> Operand:
        return self._append(Opcode.MULTIPLY, a, b)

    def sigmoid(self, x: Operand) -> Operand:
        return self._append(Opcode.SIGMOID, x)

    def tanh(self, x: Operand) -> Operand:
        return self._append(Opcode.TANH, x)

    def relu(self, x: Operand) -> Operand:
        return self._append(Opcode.RELU, x)

    def sigmoid_slope(self, out: Operand, grad: Operand) -> Operand:
        return self._append(Opcode.SIGMOID_SLOPE, out, grad)

    def tanh_slope(self, out: Operand, grad: Operand) -> Operand:
        return self._append(Opcode.TANH_SLOPE, out, grad)

    def relu_slope(self, out: Operand, grad: Operand) -> Operand:
        return self._append(Opcode.RELU_SLOPE, out, grad)

    def times(self, x: Operand, number: float) -> Operand:
        return self._append(Opcode.TIMES, x, number=number)

    def plus(self, x: Operand, number: float) -> Operand:
        return self._append(Opcode.PLUS, x, number=number)

    def side_by_side(self, parts: Sequence[Operand], axis: int) -> Operand:
        """Joined along an axis, which must be the last. It can only be a result: no instruction reads it."""
        if axis not in (-1, self.rank - 1):
            raise NoCode
        joined = Operand()
        joined.parts = tuple(self._append(Opcode.COPY, part) for part in parts)
        return joined
