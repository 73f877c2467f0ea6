"""dpsgd: sgd with clipped gradients and noise, for differential privacy."""

from __future__ import annotations

import torch

from refluid.ops.optim.common import dense, scalar
from refluid.ops.registry import FLOATS, Tensor, op


@op("ParamOut", lod=None, dtypes={"Param": FLOATS}, inplace={"ParamOut": "Param"}, nograd="*", random="stream")
def dpsgd(
    Param: Tensor,
    Grad: Tensor,
    LearningRate: Tensor,
    *,
    rng: torch.Generator,
    clip: float = 10.0,
    batch_size: float = 16.0,
    sigma: float = 1.0,
    seed: int = 0,
) -> Tensor:
    """Param -= rate * (Grad / max(1, |Grad| / clip) + noise / batch_size) with normal noise of deviation `sigma`.

    As in Fluid, one number is drawn for the whole parameter.
    """
    grad, rate = dense(Grad, Param), scalar(LearningRate)
    size = torch.linalg.vector_norm(grad).item()
    noise = torch.randn(1, generator=rng, device=rng.device).item() * sigma
    return Param.add_(grad, alpha=-rate / max(1.0, size / clip)).sub_(rate * noise / batch_size)
