"""paddle.fluid.dygraph_grad_clip: clipping gradients in the imperative mode of 1.5."""

from refluid.optim.eager_clip import (
    GradClipByGlobalNorm as GradClipByGlobalNorm,
    GradClipByNorm as GradClipByNorm,
    GradClipByValue as GradClipByValue,
)
