"""Unary math: one line per operator, the kernel and what its gradient reads.

The names of the lambdas' parameters are the slots, as everywhere (style: an operator is its signature).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from refluid.ops.backward_ops import scaled_back
from refluid.ops.registry import FLOATS, NUMBERS, OpDef, Tensor, get, op


def unary(
    name: str, kernel: Callable[[Tensor], Tensor], grad: Callable[..., Tensor], dtypes: frozenset = FLOATS,
    late: str = "",
) -> OpDef:  # fmt: skip
    kernel.__name__, grad.__name__ = name, name + "_grad"
    definition = op("Out", type=name, like="X", dtypes={"X": dtypes}, late=late, grad_hints="use_mkldnn use_cudnn")(
        kernel
    )
    definition.grad(grad)
    return definition


def _rounded(X: Tensor) -> Tensor:
    # Fluid rounds halves away from zero; torch.round rounds them to even.
    whole = torch.trunc(X)
    return whole + torch.sign(X) * ((X - whole).abs() >= 0.5)


def _exp(X: Tensor) -> Tensor:
    return torch.exp(X) if X.is_floating_point() else torch.exp(X.double()).to(X.dtype)  # Fluid: truncated, not rounded


def _exp_over(X: Tensor) -> Tensor:
    return torch.exp_(X) if X.is_floating_point() else _exp(X)


exp = unary("exp", lambda X: _exp(X), lambda Out, Out_grad: Out_grad * Out, dtypes=NUMBERS)
exp.over(_exp_over)
log = unary("log", lambda X: torch.log(X), lambda X, Out_grad: Out_grad / X)
log1p = unary("log1p", lambda X: torch.log1p(X), lambda X, Out_grad: Out_grad / (X + 1))
sqrt = unary("sqrt", lambda X: torch.sqrt(X), lambda Out, Out_grad: Out_grad / (Out * 2))
rsqrt = unary("rsqrt", lambda X: torch.rsqrt(X), lambda Out, Out_grad: Out_grad * Out.pow(3) * -0.5)
square = unary("square", lambda X: torch.square(X), lambda X, Out_grad: (X + X) * Out_grad, dtypes=NUMBERS)
square.pointwise(lambda code, X: code.multiply(X, X))
get("square_grad").pointwise(lambda code, X, Out_grad: code.multiply(code.add(X, X), Out_grad))
abs = unary("abs", lambda X: torch.abs(X), lambda X, Out_grad: Out_grad * torch.sign(X), dtypes=NUMBERS)
reciprocal = unary("reciprocal", lambda X: torch.reciprocal(X), lambda Out, Out_grad: -Out_grad * Out.square())

ceil = unary("ceil", lambda X: torch.ceil(X), lambda Out_grad: torch.zeros_like(Out_grad))
floor = unary("floor", lambda X: torch.floor(X), lambda Out_grad: torch.zeros_like(Out_grad))
round = unary("round", lambda X: _rounded(X), lambda Out_grad: torch.zeros_like(Out_grad))
sign = unary("sign", lambda X: torch.sign(X), lambda Out_grad: torch.zeros_like(Out_grad))
sign.gradient_ops(lambda op: [scaled_back(op, op.input("X")[0], 0.0)])

sin = unary("sin", lambda X: torch.sin(X), lambda X, Out_grad: Out_grad * torch.cos(X))
cos = unary("cos", lambda X: torch.cos(X), lambda X, Out_grad: -Out_grad * torch.sin(X))
tan = unary("tan", lambda X: torch.tan(X), lambda Out, Out_grad: Out_grad * (Out.square() + 1))
sinh = unary("sinh", lambda X: torch.sinh(X), lambda X, Out_grad: Out_grad * torch.cosh(X))
cosh = unary("cosh", lambda X: torch.cosh(X), lambda X, Out_grad: Out_grad * torch.sinh(X))
asin = unary("asin", lambda X: torch.asin(X), lambda X, Out_grad: Out_grad * torch.rsqrt(1 - X.square()))
acos = unary("acos", lambda X: torch.acos(X), lambda X, Out_grad: -Out_grad * torch.rsqrt(1 - X.square()))
atan = unary("atan", lambda X: torch.atan(X), lambda X, Out_grad: Out_grad / (X.square() + 1))
erf = unary(
    "erf",
    lambda X: torch.erf(X),
    lambda X, Out_grad: Out_grad * torch.exp(-X.square()) * (2 / math.sqrt(math.pi)),
    late="X",
)
