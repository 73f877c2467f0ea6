"""paddle.complex of 1.8: arithmetic of ComplexVariables, made of functions of their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from refluid.core.errors import ArgumentError
from refluid.core.types import Ints
from refluid.eager.complex_variable import ComplexVariable
from refluid.ir.base_variable import BaseVariable
from refluid.layers import elementwise, math, reduce, shape as shapes
from refluid.layers.checks import is_variable
from refluid.layers.common import ShapeLike
from refluid.layers.creation import zeros_like

Complex: TypeAlias = ComplexVariable | BaseVariable
Product: TypeAlias = Callable[[BaseVariable, BaseVariable], BaseVariable]


def is_complex(x: object) -> bool:
    """Whether this is a ComplexVariable."""
    return isinstance(x, ComplexVariable)


def is_real(x: object) -> bool:
    """Whether this is a variable of real numbers, of either mode."""
    return is_variable(x)


def complex_variable_exists(inputs: list[Any], layer_name: str) -> None:
    """Refuse inputs of which none is a ComplexVariable."""
    if not any(is_complex(x) for x in inputs):
        raise ArgumentError(f"complex.{layer_name}: expected a ComplexVariable; use fluid.layers for real numbers")


def _parts(what: str, x: Complex) -> tuple[Any, Any]:
    """(real, imaginary or None)."""
    if isinstance(x, ComplexVariable):
        return x.real, x.imag
    if not is_variable(x):
        raise ArgumentError(f"complex.{what}: expected a ComplexVariable or a Variable, got {type(x).__name__}")
    return x, None


def _two(what: str, x: Complex, y: Complex) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    if not isinstance(x, ComplexVariable) and not isinstance(y, ComplexVariable):
        raise ArgumentError(
            f"complex.{what}: one of x and y must be a ComplexVariable, got {type(x).__name__} and {type(y).__name__}; "
            "use fluid.layers for real numbers"
        )
    return _parts(what, x), _parts(what, y)


def _one(what: str, x: Complex) -> ComplexVariable:
    if not isinstance(x, ComplexVariable):
        raise ArgumentError(
            f"complex.{what}: expected a ComplexVariable, got {type(x).__name__}; use fluid.layers for real numbers"
        )
    return x


def _product(what: str, multiply: Product, x: Complex, y: Complex) -> ComplexVariable:
    (a, b), (c, d) = _two(what, x, y)
    if b is None:
        return ComplexVariable(multiply(a, c), multiply(a, d))
    if d is None:
        return ComplexVariable(multiply(a, c), multiply(b, c))
    return ComplexVariable(multiply(a, c) - multiply(b, d), multiply(a, d) + multiply(b, c))


def _sum(what: str, add: Callable, x: Complex, y: Complex, axis: int, name: str | None) -> ComplexVariable:
    (a, b), (c, d) = _two(what, x, y)
    return ComplexVariable(
        add(a, c, axis, name=name),
        add(zeros_like(a) if b is None else b, zeros_like(c) if d is None else d, axis, name=name),
    )


def elementwise_add(x: Complex, y: Complex, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x + y, element by element; one of them may be real.

    Args:
        x: a ComplexVariable or a variable.
        y: likewise, of the shape of x or of consecutive axes of x.
        axis: the axis of x at which the shape of y begins; -1 aligns y with the last axes.

    Returns:
        A ComplexVariable of the shape of x.
    """
    return _sum("elementwise_add", elementwise.elementwise_add, x, y, axis, name)


def elementwise_sub(x: Complex, y: Complex, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x - y, element by element; one of them may be real.

    Args:
        x: a ComplexVariable or a variable.
        y: likewise, of the shape of x or of consecutive axes of x.
        axis: the axis of x at which the shape of y begins; -1 aligns y with the last axes.

    Returns:
        A ComplexVariable of the shape of x.
    """
    return _sum("elementwise_sub", elementwise.elementwise_sub, x, y, axis, name)


def elementwise_mul(x: Complex, y: Complex, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x * y, element by element; one of them may be real.

    Args:
        x: a ComplexVariable or a variable.
        y: likewise, of the shape of x or of consecutive axes of x.
        axis: the axis of x at which the shape of y begins; -1 aligns y with the last axes.

    Returns:
        A ComplexVariable of the shape of x.
    """
    return _product("elementwise_mul", lambda a, b: elementwise.elementwise_mul(a, b, axis, name=name), x, y)


def elementwise_div(x: Complex, y: Complex, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x / y, element by element; one of them may be real.

    Args:
        x: a ComplexVariable or a variable.
        y: likewise, of the shape of x or of consecutive axes of x.
        axis: the axis of x at which the shape of y begins; -1 aligns y with the last axes.

    Returns:
        A ComplexVariable of the shape of x.
    """
    (a, b), (c, d) = _two("elementwise_div", x, y)

    def divide(part: BaseVariable, divisor: BaseVariable) -> BaseVariable:
        return elementwise.elementwise_div(part, divisor, axis, name=name)

    if d is None:
        return ComplexVariable(divide(a, c), divide(b, c))
    size = c * c + d * d
    return elementwise_mul(x, ComplexVariable(c / size, d * -1.0 / size), axis, name)


def kron(x: Complex, y: Complex, name: str | None = None) -> ComplexVariable:
    """The Kronecker product; one of them may be real.

    Args:
        x: a ComplexVariable or a variable.
        y: likewise.

    Returns:
        A ComplexVariable.
    """
    return _product("kron", lambda a, b: math.kron(a, b, name=name), x, y)


def matmul(
    x: Complex,
    y: Complex,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
) -> ComplexVariable:
    """alpha * (x @ y); one of them may be real.

    Args:
        x: a ComplexVariable or a variable [..., M, K].
        y: likewise, [..., K, N].
        transpose_x: swap the last two axes of x first (no conjugation).
        transpose_y: swap the last two axes of y first.
        alpha: the factor of the product.

    Returns:
        A ComplexVariable [..., M, N].
    """
    return _product("matmul", lambda a, b: math.matmul(a, b, transpose_x, transpose_y, alpha, name), x, y)


def reshape(x: ComplexVariable, shape: ShapeLike, inplace: bool = False, name: str | None = None) -> ComplexVariable:
    """The same elements in another shape.

    Args:
        x: a ComplexVariable.
        shape: as fluid.layers.reshape has it.
        inplace: x itself takes the new shape.

    Returns:
        A ComplexVariable of this shape.
    """
    x = _one("reshape", x)
    return ComplexVariable(
        shapes.reshape(x.real, shape, inplace=inplace, name=name),
        shapes.reshape(x.imag, shape, inplace=inplace, name=name),
    )


def sum(
    input: ComplexVariable, dim: Ints | None = None, keep_dim: bool = False, name: str | None = None
) -> ComplexVariable:
    """The sum along axes.

    Args:
        input: a ComplexVariable.
        dim: the axis or the axes to reduce; None reduces all.
        keep_dim: the reduced axes stay, with size 1.

    Returns:
        A ComplexVariable without the reduced axes; of shape [1] if all are reduced.
    """
    x = _one("sum", input)
    return ComplexVariable(
        reduce.reduce_sum(x.real, dim, keep_dim, name), reduce.reduce_sum(x.imag, dim, keep_dim, name)
    )


def trace(
    input: ComplexVariable, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> ComplexVariable:
    """The sums of the diagonals of the matrices in two axes.

    Args:
        input: a ComplexVariable of at least two axes.
        offset: the diagonal; 0 the main one, positive above it, negative below it.
        dim1: the axis of the rows.
        dim2: the axis of the columns.

    Returns:
        A ComplexVariable without the two axes.
    """
    x = _one("trace", input)
    return ComplexVariable(
        math.trace(x.real, offset, dim1, dim2, name=name), math.trace(x.imag, offset, dim1, dim2, name=name)
    )


def transpose(x: ComplexVariable, perm: Sequence[int], name: str | None = None) -> ComplexVariable:
    """The axes permuted.

    Args:
        x: a ComplexVariable.
        perm: axis i of the result is axis perm[i] of x.

    Returns:
        A ComplexVariable of the permuted shape.
    """
    x = _one("transpose", x)
    return ComplexVariable(shapes.transpose(x.real, perm, name), shapes.transpose(x.imag, perm, name))
