"""average_accumulates: running sums of a parameter, from which ModelAverage takes its mean."""

from __future__ import annotations

from refluid.ops.registry import FLOATS, Long, Tensor, op

# A sum over too many steps loses precision, so it is added to the next one after so many.
MAX_ACCUMULATES = 16384


@op(
    "out_sum_1 out_sum_2 out_sum_3 out_num_accumulates out_old_num_accumulates out_num_updates",
    lod=None,
    dtypes={"param": FLOATS},
    inplace={
        "out_sum_1": "in_sum_1",
        "out_sum_2": "in_sum_2",
        "out_sum_3": "in_sum_3",
        "out_num_accumulates": "in_num_accumulates",
        "out_old_num_accumulates": "in_old_num_accumulates",
        "out_num_updates": "in_num_updates",
    },
    nograd="*",
)
def average_accumulates(
    param: Tensor,
    in_sum_1: Tensor,
    in_sum_2: Tensor,
    in_sum_3: Tensor,
    in_num_accumulates: Tensor,
    in_old_num_accumulates: Tensor,
    in_num_updates: Tensor,
    *,
    average_window: float = 0.0,
    max_average_window: Long,
    min_average_window: Long = 10000,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Add param to sum_1; when the window is full, sum_3 takes all and sum_1 and sum_2 start anew.

    The window is average_window times the number of updates, but not outside [min, max]_average_window.
    """
    in_sum_1.add_(param)
    updates = in_num_updates.add_(1).item()
    accumulated = in_num_accumulates.add_(1).item()
    if updates % MAX_ACCUMULATES == 0:
        in_sum_2.add_(in_sum_1)
        in_sum_1.zero_()
    if accumulated >= min_average_window and accumulated >= min(max_average_window, int(updates * average_window)):
        in_sum_3.copy_(in_sum_1).add_(in_sum_2)
        in_sum_1.zero_()
        in_sum_2.zero_()
        in_old_num_accumulates.copy_(in_num_accumulates)
        in_num_accumulates.zero_()
    return in_sum_1, in_sum_2, in_sum_3, in_num_accumulates, in_old_num_accumulates, in_num_updates
