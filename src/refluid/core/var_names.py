"""core.var_names: the two reserved names of variables, under the names that 1.8.5 has for them."""

from __future__ import annotations

from refluid.core.reserved import empty_var_name as empty, temp_var_name as temp

__all__ = ["empty", "temp"]
