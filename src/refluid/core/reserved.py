"""Names of variables, and parts of names, that programs of Fluid keep for a purpose."""

from __future__ import annotations

from refluid.core import unique_name

EMPTY_VAR_NAME = "@EMPTY@"  # stands in a slot for a variable that is not there
TEMP_VAR_NAME = "@TEMP@"
GRAD_VAR_SUFFIX = "@GRAD"
ZERO_VAR_SUFFIX = "@ZERO"
NEW_GRAD_SUFFIX = "@NEWGRAD@"
LOADED_VAR_SUFFIX = "@LOADED"
CONTROL_DEP_VAR_PREFIX = "__control_var"


def empty_var_name() -> str:
    return EMPTY_VAR_NAME


def temp_var_name() -> str:
    return TEMP_VAR_NAME


def grad_var_suffix() -> str:
    return GRAD_VAR_SUFFIX


def zero_var_suffix() -> str:
    return ZERO_VAR_SUFFIX


def new_grad_suffix() -> str:
    return NEW_GRAD_SUFFIX


def loaded_var_suffix() -> str:
    return LOADED_VAR_SUFFIX


def control_dep_var_name() -> str:
    return CONTROL_DEP_VAR_PREFIX


def grad_var_name(var_name: str) -> str:
    """The name of the gradient of a variable: x becomes x@GRAD."""
    return var_name + GRAD_VAR_SUFFIX


def strip_grad_suffix(name: str) -> str:
    """The variable that a gradient belongs to: x of x@GRAD and of x@GRAD@RENAME@block0@1."""
    return name.partition(GRAD_VAR_SUFFIX)[0]


def generate_control_dev_var_name() -> str:
    """A new name for a variable that only says that one operator comes before another."""
    return f"{CONTROL_DEP_VAR_PREFIX}@{unique_name.generate(CONTROL_DEP_VAR_PREFIX)}"
