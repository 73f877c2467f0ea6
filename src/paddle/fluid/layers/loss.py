"""paddle.fluid.layers.loss: losses."""

from refluid.layers.decoding import warpctc as warpctc
from refluid.layers.loss import (
    cross_entropy as cross_entropy,
    cross_entropy2 as cross_entropy2,
    huber_loss as huber_loss,
    kIgnoreIndex as kIgnoreIndex,
    kldiv_loss as kldiv_loss,
    mse_loss as mse_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_with_cross_entropy as softmax_with_cross_entropy,
    square_error_cost as square_error_cost,
)
from refluid.layers.metric import edit_distance as edit_distance
from refluid.layers.ranking_loss import (
    bpr_loss as bpr_loss,
    center_loss as center_loss,
    margin_rank_loss as margin_rank_loss,
    npair_loss as npair_loss,
    rank_loss as rank_loss,
    teacher_student_sigmoid_loss as teacher_student_sigmoid_loss,
)
from refluid.layers.sampled_loss import (
    hsigmoid as hsigmoid,
    nce as nce,
    sampled_softmax_with_cross_entropy as sampled_softmax_with_cross_entropy,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
