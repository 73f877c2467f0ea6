"""Probability distributions: samples, entropies, densities and divergences, in both modes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.ir.base_variable import BaseVariable
from refluid.layers.checks import is_variable
from refluid.layers.compare import less_than
from refluid.layers.elementwise import elementwise_add, elementwise_div, elementwise_mul, elementwise_sub
from refluid.layers.math import matmul
from refluid.layers.random import gaussian_random, uniform_random
from refluid.layers.reduce import reduce_max, reduce_sum
from refluid.layers.shape import reshape, shape as shape_of
from refluid.layers.tensor import assign, cast
from refluid.layers.unary import exp, log

DistributionArgument: TypeAlias = float | Sequence[float] | np.ndarray | BaseVariable
"""A parameter of a distribution."""

Kind = TypeVar("Kind", bound="Distribution")


class Distribution:
    """The base class of probability distributions."""

    def sample(self) -> BaseVariable:
        """Random samples."""
        raise NotImplementedError(f"{type(self).__name__} has no sample")

    def entropy(self) -> BaseVariable:
        """The entropy in nats."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def kl_divergence(self, other: Distribution) -> BaseVariable:
        """The Kullback-Leibler divergence of this distribution from another."""
        raise NotImplementedError(f"{type(self).__name__} has no kl_divergence")

    def log_prob(self, value: BaseVariable) -> BaseVariable:
        """The logarithm of the density."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob")


class Uniform(Distribution):
    """The uniform distribution over [low, high).

    Args:
        low: the lower bound: a number, list, numpy array or float variable.
        high: the excluded upper bound, likewise.
    """

    def __init__(self, low: DistributionArgument, high: DistributionArgument):
        self._scalar = _is_number(low) and _is_number(high)
        self.low, self.high = _variables("Uniform", low=low, high=high)

    def sample(self, shape: Sequence[int], seed: int = 0) -> BaseVariable:  # type: ignore[override]
        """Random samples.

        Args:
            shape: the leading shape of the samples.
            seed: 0 for the program's random_seed.

        Returns:
            A float32 variable [*shape, *the shape of low and high]; of shape `shape` if both are numbers.
        """
        width = self.high - self.low
        chosen = uniform_random(_sizes(shape, width), min=0.0, max=1.0, seed=seed)
        return _shaped(elementwise_add(elementwise_mul(chosen, width), self.low), shape, self._scalar)

    def log_prob(self, value: BaseVariable) -> BaseVariable:
        """The logarithm of the density at `value`: -log(high - low), -inf outside of [low, high).

        Args:
            value: a float variable.

        Returns:
            A variable of the shape of value.
        """
        above, below = less_than(self.low, value), less_than(value, self.high)
        return log(cast(above, value.dtype) * cast(below, value.dtype)) - log(self.high - self.low)

    def entropy(self) -> BaseVariable:
        """log(high - low), of the shape of low and high."""
        return log(self.high - self.low)


class Normal(Distribution):
    """The normal distribution.

    Args:
        loc: the mean: a number, list, numpy array or float variable.
        scale: the standard deviation, likewise.
    """

    def __init__(self, loc: DistributionArgument, scale: DistributionArgument):
        self._scalar = _is_number(loc) and _is_number(scale)
        self.loc, self.scale = _variables("Normal", loc=loc, scale=scale)

    def sample(self, shape: Sequence[int], seed: int = 0) -> BaseVariable:  # type: ignore[override]
        """Random samples.

        Args:
            shape: the leading shape of the samples.
            seed: 0 for the program's random_seed.

        Returns:
            A float32 variable [*shape, *the shape of loc and scale]; of shape `shape` if both are numbers.
        """
        chosen = gaussian_random(_sizes(shape, self.loc + self.scale), mean=0.0, std=1.0, seed=seed)
        return _shaped(elementwise_add(elementwise_mul(chosen, self.scale), self.loc), shape, self._scalar)

    def entropy(self) -> BaseVariable:
        """0.5 + 0.5 * log(2 * pi) + log(scale), of the shape of loc and scale."""
        return log(self.scale + self.loc * 0.0) + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: BaseVariable) -> BaseVariable:
        """The logarithm of the density at `value`.

        Args:
            value: a float variable.

        Returns:
            A variable of the shape of value.
        """
        distance = value - self.loc
        return distance * distance / (self.scale * self.scale * -2.0) - log(self.scale) - 0.5 * math.log(2 * math.pi)

    def kl_divergence(self, other: Distribution) -> BaseVariable:
        """The Kullback-Leibler divergence of this Normal from another.

        Args:
            other: a Normal.

        Returns:
            A variable of the shape of loc and scale.
        """
        target = _checked_other("Normal", Normal, other)
        ratio = self.scale / target.scale
        distance = (self.loc - target.loc) / target.scale
        return (ratio * ratio + distance * distance - 1.0 - log(ratio * ratio)) * 0.5


class Categorical(Distribution):
    """The categorical distribution: one of several classes.

    Args:
        logits: the logits of the classes along the last axis: a list, numpy array or float variable.
    """

    def __init__(self, logits: DistributionArgument):
        (self.logits,) = _variables("Categorical", logits=logits)

    def entropy(self) -> BaseVariable:
        """-sum(p * log(p)), [..., 1]."""
        logs = self._logs()
        return reduce_sum(exp(logs) * logs, dim=-1, keep_dim=True) * -1.0

    def kl_divergence(self, other: Distribution) -> BaseVariable:
        """The Kullback-Leibler divergence of this Categorical from another.

        Args:
            other: a Categorical.

        Returns:
            A variable [..., 1].
        """
        target = _checked_other("Categorical", Categorical, other)
        logs = self._logs()
        return reduce_sum(exp(logs) * (logs - target._logs()), dim=-1, keep_dim=True)

    def _logs(self) -> BaseVariable:
        """The logarithms of the probabilities."""
        shifted = elementwise_sub(self.logits, reduce_max(self.logits, dim=-1, keep_dim=True))
        return elementwise_sub(shifted, log(reduce_sum(exp(shifted), dim=-1, keep_dim=True)))


class MultivariateNormalDiag(Distribution):
    """The multivariate normal distribution with a diagonal covariance matrix.

    Args:
        loc: the mean, a float variable [k].
        scale: the covariance, a diagonal matrix [k, k].
    """

    def __init__(self, loc: BaseVariable, scale: BaseVariable):
        if not all(map(is_variable, (loc, scale))):
            kinds = [type(argument).__name__ for argument in (loc, scale)]
            raise ArgumentError(f"MultivariateNormalDiag: loc and scale must be variables, got {' and '.join(kinds)}")
        self.loc, self.scale = loc, scale

    def entropy(self) -> BaseVariable:
        """0.5 * (k * (1 + log(2 * pi)) + log(det(scale))), [1]."""
        return (self._log_det() + self.scale.shape[0] * (1.0 + math.log(2 * math.pi))) * 0.5

    def kl_divergence(self, other: Distribution) -> BaseVariable:
        """The Kullback-Leibler divergence of this MultivariateNormalDiag from another.

        Args:
            other: a MultivariateNormalDiag.

        Returns:
            A variable [1].
        """
        target = _checked_other("MultivariateNormalDiag", MultivariateNormalDiag, other)
        variances, target_variances = self._variances(), target._variances()
        distance = target.loc - self.loc
        parts = elementwise_div(variances + distance * distance, target_variances)
        logs = target._log_det() - self._log_det()
        return (reduce_sum(parts) - float(self.scale.shape[0]) + logs) * 0.5

    def _variances(self) -> BaseVariable:
        """The diagonal: a row of ones picks it, since everything else is zero."""
        size = self.scale.shape[0]
        return reshape(matmul(assign(np.ones((1, size), np.float32)), self.scale), [size])

    def _log_det(self) -> BaseVariable:
        return reduce_sum(log(self._variances()))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _variables(distribution: str, **arguments: object) -> list[Any]:
    """The arguments as variables; numbers and arrays as float32 of one shape."""
    arrays = {}
    for name, value in arguments.items():
        if is_variable(value):
            continue
        if not _is_number(value) and not isinstance(value, list | tuple | np.ndarray):
            raise ArgumentError(
                f"{distribution}: {name} must be a number, list, numpy array or variable, got {type(value).__name__}"
            )
        arrays[name] = np.atleast_1d(np.asarray(value, np.float32))
    if arrays:
        arrays = dict(zip(arrays, np.broadcast_arrays(*arrays.values()), strict=True))
    return [assign(np.ascontiguousarray(arrays[name])) if name in arrays else arguments[name] for name in arguments]


def _sizes(shape: Sequence[int], like: BaseVariable) -> list[int | BaseVariable]:
    """`shape` and the shape of a variable behind it, read at run time where it is not known."""
    if all(size >= 0 for size in like.shape):
        return [*shape, *like.shape]
    read = shape_of(like)
    return [*shape, *(read[axis] if size < 0 else size for axis, size in enumerate(like.shape))]


def _shaped(values: BaseVariable, shape: Sequence[int], scalar: bool) -> BaseVariable:
    return reshape(values, list(shape)) if scalar else values


def _checked_other(distribution: str, kind: type[Kind], other: Distribution) -> Kind:
    if not isinstance(other, kind):
        raise ArgumentError(f"{distribution}.kl_divergence: other must be a {distribution}, got {type(other).__name__}")
    return other
