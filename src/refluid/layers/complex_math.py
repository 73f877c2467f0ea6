"""paddle.complex of 1.8: arithmetic of ComplexVariables, made of functions of their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.eager.complex_variable import ComplexVariable
from refluid.layers import elementwise, math, reduce, shape as shapes
from refluid.layers.creation import zeros_like
from refluid.layers.numbers import is_variable

Product = Callable[[Any, Any], Any]


def is_complex(x: Any) -> bool:
    """Whether this is a ComplexVariable."""
    return isinstance(x, ComplexVariable)


def is_real(x: Any) -> bool:
    """Whether this is a variable of real numbers, of either mode."""
    return is_variable(x)


def complex_variable_exists(inputs: list[Any], layer_name: str) -> None:
    """Refuse inputs of which none is a ComplexVariable."""
    if not any(is_complex(x) for x in inputs):
        raise ArgumentError(f"complex.{layer_name}: expected a ComplexVariable; use fluid.layers for real numbers")


def _parts(what: str, x: Any) -> tuple[Any, Any]:
    """(real, imaginary or None)."""
    if isinstance(x, ComplexVariable):
        return x.real, x.imag
    if not is_variable(x):
        raise ArgumentError(f"complex.{what}: expected a ComplexVariable or a Variable, got {type(x).__name__}")
    return x, None


def _two(what: str, x: Any, y: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    if not isinstance(x, ComplexVariable) and not isinstance(y, ComplexVariable):
        raise ArgumentError(
            f"complex.{what}: one of x and y must be a ComplexVariable, got {type(x).__name__} and {type(y).__name__}; "
            "use fluid.layers for real numbers"
        )
    return _parts(what, x), _parts(what, y)


def _one(what: str, x: Any) -> ComplexVariable:
    if not isinstance(x, ComplexVariable):
        raise ArgumentError(
            f"complex.{what}: expected a ComplexVariable, got {type(x).__name__}; use fluid.layers for real numbers"
        )
    return x


def _product(what: str, multiply: Product, x: Any, y: Any) -> ComplexVariable:
    (a, b), (c, d) = _two(what, x, y)
    if b is None:
        return ComplexVariable(multiply(a, c), multiply(a, d))
    if d is None:
        return ComplexVariable(multiply(a, c), multiply(b, c))
    return ComplexVariable(multiply(a, c) - multiply(b, d), multiply(a, d) + multiply(b, c))


def _sum(what: str, add: Callable, x: Any, y: Any, axis: int, name: str | None) -> ComplexVariable:
    (a, b), (c, d) = _two(what, x, y)
    return ComplexVariable(
        add(a, c, axis, name=name),
        add(zeros_like(a) if b is None else b, zeros_like(c) if d is None else d, axis, name=name),
    )


def elementwise_add(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x + y; one of them may be real."""
    return _sum("elementwise_add", elementwise.elementwise_add, x, y, axis, name)


def elementwise_sub(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x - y; one of them may be real."""
    return _sum("elementwise_sub", elementwise.elementwise_sub, x, y, axis, name)


def elementwise_mul(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x * y; one of them may be real."""
    return _product("elementwise_mul", lambda a, b: elementwise.elementwise_mul(a, b, axis, name=name), x, y)


def elementwise_div(x: Any, y: Any, axis: int = -1, name: str | None = None) -> ComplexVariable:
    """x / y; one of them may be real."""
    _, (c, d) = _two("elementwise_div", x, y)

    def divide(a: Any, b: Any) -> Any:
        return elementwise.elementwise_div(a, b, axis, name=name)

    if d is None:
        return ComplexVariable(divide(x.real, c), divide(x.imag, c))
    size = c * c + d * d
    return elementwise_mul(x, ComplexVariable(c / size, d * -1.0 / size), axis, name)


def kron(x: Any, y: Any, name: str | None = None) -> ComplexVariable:
    """The Kronecker product of matrices."""
    return _product("kron", lambda a, b: math.kron(a, b, name=name), x, y)


def matmul(
    x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, alpha: float = 1.0, name: str | None = None
) -> ComplexVariable:
    """alpha * x y, each transposed first if asked; one of them may be real."""
    return _product("matmul", lambda a, b: math.matmul(a, b, transpose_x, transpose_y, alpha, name), x, y)


def reshape(x: Any, shape: Any, inplace: bool = False, name: str | None = None) -> ComplexVariable:
    """The same elements in another shape; x itself takes it if `inplace`."""
    x = _one("reshape", x)
    return ComplexVariable(
        shapes.reshape(x.real, shape, inplace=inplace, name=name),
        shapes.reshape(x.imag, shape, inplace=inplace, name=name),
    )


def sum(input: Any, dim: Any = None, keep_dim: bool = False, name: str | None = None) -> ComplexVariable:
    """The sum along axes, of all elements by default."""
    x = _one("sum", input)
    return ComplexVariable(
        reduce.reduce_sum(x.real, dim, keep_dim, name), reduce.reduce_sum(x.imag, dim, keep_dim, name)
    )


def trace(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None) -> ComplexVariable:
    """The sum of a diagonal."""
    x = _one("trace", input)
    return ComplexVariable(
        math.trace(x.real, offset, dim1, dim2, name=name), math.trace(x.imag, offset, dim1, dim2, name=name)
    )


def transpose(x: Any, perm: Any, name: str | None = None) -> ComplexVariable:
    """The axes in another order."""
    x = _one("transpose", x)
    return ComplexVariable(shapes.transpose(x.real, perm, name), shapes.transpose(x.imag, perm, name))
