"""paddle.fluid.clip: clipping gradients."""

from refluid.optim.clip import ErrorClipByValue as ErrorClipByValue, GradientClipByValue as GradientClipByValue
