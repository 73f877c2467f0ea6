"""FleetUtil: metrics over all workers, and log messages of the first of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.core.errors import ArgumentError, EnforceNotMet, NotFoundError
from refluid.distributed.fleet.base import Fleet
from refluid.distributed.fleet.servers import fleet as fleet_with_servers
from refluid.tensor.scope import Scope, global_scope

if TYPE_CHECKING:
    from refluid.tensor.lod_tensor import LoDTensor

_logger = logging.getLogger("refluid")


class FleetUtil:
    """Helpers of trainings with fleet.

    Args:
        mode: "transpiler" is the fleet with servers; "pslib", the default, has the same helpers on one machine.
    """

    def __init__(self, mode: str = "pslib"):
        if mode not in ("pslib", "transpiler"):
            raise ArgumentError(f"FleetUtil: mode must be pslib or transpiler, got {mode!r}")
        self._fleet: Fleet = fleet_with_servers

    def _is_first(self) -> bool:
        return not self._fleet._is_initialized or self._fleet.worker_index() == 0

    def rank0_print(self, s: object) -> None:
        """Print on worker 0."""
        if self._is_first():
            print(s, flush=True)

    def rank0_info(self, s: object) -> None:
        """Log on worker 0."""
        if self._is_first():
            _logger.info(s)

    def rank0_error(self, s: object) -> None:
        """Log as an error on worker 0."""
        if self._is_first():
            _logger.error(s)

    def set_zero(self, var_name: str, scope: Scope | None = None, place: Any = None, param_type: str = "int64") -> None:
        """Set a variable to zeros: the statistics of a metric before the next pass."""
        tensor = _tensor(scope or global_scope(), var_name)
        tensor.set(np.zeros(tensor.shape(), param_type), place)

    def get_global_auc(
        self, scope: Scope | None = None, stat_pos: str = "_generated_var_2", stat_neg: str = "_generated_var_3"
    ) -> float | None:
        """The area under the curve of all workers' predictions, from the two rows of numbers that layers.auc keeps."""
        scope = scope or global_scope()
        if scope.find_var(stat_pos) is None or scope.find_var(stat_neg) is None:
            self.rank0_print("not found auc bucket")
            return None
        positive = self._summed(np.array(_tensor(scope, stat_pos), "float64").reshape(-1))[::-1].cumsum()
        negative = self._summed(np.array(_tensor(scope, stat_neg), "float64").reshape(-1))[::-1].cumsum()
        if not positive[-1] or not negative[-1]:
            return 0.5
        area = np.trapezoid(np.concatenate([[0], positive]), np.concatenate([[0], negative]))
        return float(area / (positive[-1] * negative[-1]))

    def print_global_auc(
        self, scope: Scope | None = None, stat_pos: str = "_generated_var_2", stat_neg: str = "_generated_var_3",
        print_prefix: str = "",
    ) -> None:  # fmt: skip
        self.rank0_print(f"{print_prefix} global auc = {self.get_global_auc(scope, stat_pos, stat_neg)}")

    def _summed(self, values: np.ndarray) -> np.ndarray:
        total = np.zeros_like(values)
        if not self._fleet._is_initialized:
            return values
        self._fleet.all_reduce_worker(values, total)
        return total

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise EnforceNotMet(f"FleetUtil.{name}: this helper is of pslib, whose server no public release of Fluid has")


def _tensor(scope: Scope, name: str) -> LoDTensor:
    found = scope.find_var(name)
    if found is None:
        raise NotFoundError(f"FleetUtil: the scope has no variable {name!r}")
    return found.get_tensor()
