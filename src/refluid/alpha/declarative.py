"""Functions of paddle.declarative that take a weight, or make one.

`conv2d(x, weight)` computes with a variable of the caller's; `conv2d(x, num_filters=8, filter_size=3)` makes its
parameters, as Fluid's layer of that name does. The call tells which is meant.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from refluid.alpha.nn import convolution, functional
from refluid.layers import conv, conv_transpose, parametric, sampled_loss
from refluid.layers.checks import is_variable


def _either(with_weight: Callable, layer: Callable, before: int) -> Callable:
    """`with_weight` if the argument after the first `before` is a variable or `weight=` is given, else `layer`."""

    @functools.wraps(with_weight)  # whose signature is the one that 2.0-alpha had
    def function(*args: object, **kwargs: object) -> Any:
        given = "weight" in kwargs or (len(args) > before and is_variable(args[before]))
        return (with_weight if given else layer)(*args, **kwargs)

    first = (layer.__doc__ or "").split("\n")[0]
    function.__doc__ = f"""{first}

    With a weight the arguments are those of paddle.nn.functional.{layer.__name__}; without, those of
    fluid.layers.{layer.__name__}, which makes its parameters.
    """
    return function


conv2d = _either(convolution.conv2d, conv.conv2d, 1)
conv3d = _either(convolution.conv3d, conv.conv3d, 1)
conv2d_transpose = _either(convolution.conv2d_transpose, conv_transpose.conv2d_transpose, 1)
conv3d_transpose = _either(convolution.conv3d_transpose, conv_transpose.conv3d_transpose, 1)
row_conv = _either(functional.row_conv, parametric.row_conv, 1)
hsigmoid = _either(functional.hsigmoid, sampled_loss.hsigmoid, 2)
