"""Probability distributions: samples, entropies, densities and divergences, in both modes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.ir.variable import Variable
from refluid.layers.compare import less_than
from refluid.layers.elementwise import elementwise_add, elementwise_div, elementwise_mul, elementwise_sub
from refluid.layers.math import matmul
from refluid.layers.random import gaussian_random, uniform_random
from refluid.layers.reduce import reduce_max, reduce_sum
from refluid.layers.shape import reshape, shape as shape_of
from refluid.layers.tensor import assign, cast
from refluid.layers.unary import exp, log


class Distribution:
    """Base of distributions."""

    def sample(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no sample")

    def entropy(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def kl_divergence(self, other: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no kl_divergence")

    def log_prob(self, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no log_prob")


class Uniform(Distribution):
    """Equally probable between two numbers.

    Args:
        low, high: numbers, lists, arrays or variables.
    """

    def __init__(self, low: Any, high: Any):
        self._scalar = _is_number(low) and _is_number(high)
        self.low, self.high = _variables("Uniform", low=low, high=high)

    def sample(self, shape: Any, seed: int = 0) -> Any:
        """Random numbers [*shape, *the shape of low and high] (just `shape` if both are numbers)."""
        width = self.high - self.low
        chosen = uniform_random(_sizes(shape, width), min=0.0, max=1.0, seed=seed)
        return _shaped(elementwise_add(elementwise_mul(chosen, width), self.low), shape, self._scalar)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density at `value`: -inf outside."""
        above, below = less_than(self.low, value), less_than(value, self.high)
        return log(cast(above, value.dtype) * cast(below, value.dtype)) - log(self.high - self.low)

    def entropy(self) -> Any:
        return log(self.high - self.low)


class Normal(Distribution):
    """The normal distribution.

    Args:
        loc, scale: mean and standard deviation: numbers, lists, arrays or variables.
    """

    def __init__(self, loc: Any, scale: Any):
        self._scalar = _is_number(loc) and _is_number(scale)
        self.loc, self.scale = _variables("Normal", loc=loc, scale=scale)

    def sample(self, shape: Any, seed: int = 0) -> Any:
        """Random numbers [*shape, *the shape of loc and scale] (just `shape` if both are numbers)."""
        chosen = gaussian_random(_sizes(shape, self.loc + self.scale), mean=0.0, std=1.0, seed=seed)
        return _shaped(elementwise_add(elementwise_mul(chosen, self.scale), self.loc), shape, self._scalar)

    def entropy(self) -> Any:
        return log(self.scale + self.loc * 0.0) + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density at `value`."""
        distance = value - self.loc
        return distance * distance / (self.scale * self.scale * -2.0) - log(self.scale) - 0.5 * math.log(2 * math.pi)

    def kl_divergence(self, other: Any) -> Any:
        """How much another Normal misses of this one."""
        _check_other("Normal", Normal, other)
        ratio = self.scale / other.scale
        distance = (self.loc - other.loc) / other.scale
        return (ratio * ratio + distance * distance - 1.0 - log(ratio * ratio)) * 0.5


class Categorical(Distribution):
    """One of several classes.

    Args:
        logits: scores of the classes before softmax, on the last axis.
    """

    def __init__(self, logits: Any):
        (self.logits,) = _variables("Categorical", logits=logits)

    def entropy(self) -> Any:
        """[..., 1]."""
        said = self._logs()
        return reduce_sum(exp(said) * said, dim=-1, keep_dim=True) * -1.0

    def kl_divergence(self, other: Any) -> Any:
        """How much another Categorical misses of this one, [..., 1]."""
        _check_other("Categorical", Categorical, other)
        said = self._logs()
        return reduce_sum(exp(said) * (said - other._logs()), dim=-1, keep_dim=True)

    def _logs(self) -> Any:
        """The logarithms of the probabilities."""
        shifted = elementwise_sub(self.logits, reduce_max(self.logits, dim=-1, keep_dim=True))
        return elementwise_sub(shifted, log(reduce_sum(exp(shifted), dim=-1, keep_dim=True)))


class MultivariateNormalDiag(Distribution):
    """A normal distribution of vectors whose parts do not depend on one another.

    Args:
        loc: the mean, [k].
        scale: the covariance, a diagonal matrix [k, k].
    """

    def __init__(self, loc: Any, scale: Any):
        if not all(isinstance(one, Variable) or getattr(one, "is_imperative", False) for one in (loc, scale)):
            given = [type(one).__name__ for one in (loc, scale)]
            raise ArgumentError(f"MultivariateNormalDiag: loc and scale must be variables, got {' and '.join(given)}")
        self.loc, self.scale = loc, scale

    def entropy(self) -> Any:
        """[1]."""
        return (self._log_det() + self.scale.shape[0] * (1.0 + math.log(2 * math.pi))) * 0.5

    def kl_divergence(self, other: Any) -> Any:
        """How much another MultivariateNormalDiag misses of this one, [1]."""
        _check_other("MultivariateNormalDiag", MultivariateNormalDiag, other)
        mine, its = self._variances(), other._variances()
        distance = other.loc - self.loc
        parts = elementwise_div(mine + distance * distance, its)
        logs = other._log_det() - self._log_det()
        return (reduce_sum(parts) - float(self.scale.shape[0]) + logs) * 0.5

    def _variances(self) -> Any:
        """The diagonal: a row of ones picks it, since everything else is zero."""
        size = self.scale.shape[0]
        return reshape(matmul(assign(np.ones((1, size), np.float32)), self.scale), [size])

    def _log_det(self) -> Any:
        return reduce_sum(log(self._variances()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _variables(distribution: str, **given: Any) -> list[Any]:
    """The arguments as variables; numbers and arrays as float32 of one shape."""
    arrays = {}
    for name, value in given.items():
        if isinstance(value, Variable) or getattr(value, "is_imperative", False):
            continue
        if not _is_number(value) and not isinstance(value, list | tuple | np.ndarray):
            raise ArgumentError(
                f"{distribution}: {name} must be a number, list, numpy array or variable, got {type(value).__name__}"
            )
        arrays[name] = np.atleast_1d(np.asarray(value, np.float32))
    if arrays:
        arrays = dict(zip(arrays, np.broadcast_arrays(*arrays.values()), strict=True))
    return [assign(np.ascontiguousarray(arrays[name])) if name in arrays else given[name] for name in given]


def _sizes(shape: Any, like: Any) -> list[Any]:
    """`shape` and the shape of a variable behind it, read at run time where it is not known."""
    known = list(like.shape)
    if any(size < 0 for size in known):
        read = shape_of(like)
        known = [read[axis] if size < 0 else size for axis, size in enumerate(known)]
    return [*shape, *known]


def _shaped(values: Any, shape: Any, scalar: bool) -> Any:
    return reshape(values, list(shape)) if scalar else values


def _check_other(distribution: str, kind: type, other: Any) -> None:
    if not isinstance(other, kind):
        raise ArgumentError(f"{distribution}.kl_divergence: other must be a {distribution}, got {type(other).__name__}")
