"""paddle.fluid.clip: clipping gradients."""

from refluid.optim.clip import (
    GradientClipByGlobalNorm as ClipByGlobalNorm,
    GradientClipByNorm as ClipByNorm,
    GradientClipByValue as ClipByValue,
    GradientClipBase as GradientClipBase,
    GradientClipByGlobalNorm as GradientClipByGlobalNorm,
    GradientClipByNorm as GradientClipByNorm,
    GradientClipByValue as GradientClipByValue,
    set_gradient_clip as set_gradient_clip,
)
from refluid.optim.eager_clip import (
    GradClipByGlobalNorm as GradClipByGlobalNorm,
    GradClipByNorm as GradClipByNorm,
    GradClipByValue as GradClipByValue,
)
from refluid.optim.param_clip import clip_by_parameter as append_gradient_clip_ops
from refluid.optim.error_clip import (
    BaseErrorClipAttr as BaseErrorClipAttr,
    ErrorClipByValue as ErrorClipByValue,
    error_clip_callback as error_clip_callback,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
