"""The Fluid release that the public API answers for."""

from __future__ import annotations

import re

import torch

from refluid.core.errors import ArgumentError, EnforceNotMet

FLUID_VERSION = "1.8.5"
MAJOR, MINOR, PATCH = FLUID_VERSION.split(".")
RC = "0"
IS_TAGGED = True  # whether this is a release
WITH_MKL = "ON" if torch.backends.mkl.is_available() else "OFF"


def show() -> None:
    """Print the version and its parts."""
    print(f"full_version: {FLUID_VERSION}\nmajor: {MAJOR}\nminor: {MINOR}\npatch: {PATCH}\nrc: {RC}")


def mkl() -> str:
    """ "ON" if matrix products are MKL's."""
    return WITH_MKL


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raise unless min_version <= 1.8.5 <= max_version.

    Args:
        min_version: numbers and dots, "1.6.0" for example.
        max_version: the same; None for no upper limit.

    Returns:
        None.

    Example:
        >>> fluid.require_version("1.5.0")
        >>> fluid.require_version("1.6.0", "1.7.0")
        Traceback (most recent call last):
            ...
        refluid.core.errors.EnforceNotMet: require_version: this program wants Fluid 1.6.0 to 1.7.0, and this ...
    """
    have = _numbers("the installed version", FLUID_VERSION)
    least = _numbers("min_version", min_version)
    most = have if max_version is None else _numbers("max_version", max_version)
    if not least <= have <= most:
        wanted = f"{min_version} or later" if max_version is None else f"{min_version} to {max_version}"
        raise EnforceNotMet(f"require_version: this program wants Fluid {wanted}, and this is {FLUID_VERSION}")


def _numbers(what: str, version: str) -> tuple[int, ...]:
    if not isinstance(version, str):
        raise ArgumentError(f"require_version: {what} must be a str, got {type(version).__name__}")
    if not re.fullmatch(r"\d+(\.\d+){0,3}", version):
        raise ArgumentError(f"require_version: {what} must be of the form '1.8.0', got {version!r}")
    parts = [int(part) for part in version.split(".")]
    return tuple(parts + [0] * (4 - len(parts)))
