"""paddle.nn.functional: the functions of a network."""

from paddle.nn.functional import (
    activation as activation,
    common as common,
    conv as conv,
    extension as extension,
    learning_rate as learning_rate,
    loss as loss,
    norm as norm,
    pooling as pooling,
    vision as vision,
)
from refluid.alpha.nn.convolution import (
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_transpose as conv3d_transpose,
)
from refluid.alpha.nn.functional import (
    hsigmoid as hsigmoid,
    log_softmax as log_softmax,
    relu as relu,
    row_conv as row_conv,
    sigmoid as sigmoid,
)
from refluid.layers.activation import (
    brelu as brelu,
    elu as elu,
    gelu as gelu,
    hard_shrink as hard_shrink,
    hard_sigmoid as hard_sigmoid,
    hard_swish as hard_swish,
    leaky_relu as leaky_relu,
    logsigmoid as logsigmoid,
    relu6 as relu6,
    selu as selu,
    soft_relu as soft_relu,
    softmax as softmax,
    softplus as softplus,
    softshrink as softshrink,
    softsign as softsign,
    swish as swish,
    tanh_shrink as tanh_shrink,
    thresholded_relu as thresholded_relu,
)
from refluid.layers.clicks import (
    continuous_value_model as continuous_value_model,
    filter_by_instag as filter_by_instag,
    hash as hash,
)
from refluid.layers.creation import diag_embed as diag_embed
from refluid.layers.decoding import warpctc as warpctc
from refluid.layers.detection.anchors import (
    anchor_generator as anchor_generator,
    density_prior_box as density_prior_box,
)
from refluid.layers.detection.boxes import (
    box_clip as box_clip,
    box_coder as box_coder,
    box_decoder_and_assign as box_decoder_and_assign,
    iou_similarity as iou_similarity,
    polygon_box_transform as polygon_box_transform,
)
from refluid.layers.detection.proposals import (
    collect_fpn_proposals as collect_fpn_proposals,
    distribute_fpn_proposals as distribute_fpn_proposals,
    generate_mask_labels as generate_mask_labels,
    generate_proposal_labels as generate_proposal_labels,
    generate_proposals as generate_proposals,
    retinanet_target_assign as retinanet_target_assign,
    rpn_target_assign as rpn_target_assign,
)
from refluid.layers.detection.regions import (
    deformable_roi_pooling as deformable_roi_pooling,
    prroi_pool as prroi_pool,
    psroi_pool as psroi_pool,
    roi_align as roi_align,
    roi_perspective_transform as roi_perspective_transform,
    roi_pool as roi_pool,
)
from refluid.layers.detection.ssd import (
    bipartite_match as bipartite_match,
    detection_output as detection_output,
    ssd_loss as ssd_loss,
    target_assign as target_assign,
)
from refluid.layers.detection.suppression import (
    multiclass_nms as multiclass_nms,
    retinanet_detection_output as retinanet_detection_output,
)
from refluid.layers.detection.yolo import yolo_box as yolo_box, yolov3_loss as yolov3_loss
from refluid.layers.dropout import dropout as dropout
from refluid.layers.embedding import add_position_encoding as add_position_encoding
from refluid.layers.image import (
    affine_channel as affine_channel,
    affine_grid as affine_grid,
    fsp_matrix as fsp_matrix,
    grid_sampler as grid_sampler,
    maxout as maxout,
    pixel_shuffle as pixel_shuffle,
    shuffle_channel as shuffle_channel,
    similarity_focus as similarity_focus,
    space_to_depth as space_to_depth,
    temporal_shift as temporal_shift,
    unfold as unfold,
)
from refluid.layers.loss import (
    cross_entropy as cross_entropy,
    huber_loss as huber_loss,
    kldiv_loss as kldiv_loss,
    label_smooth as label_smooth,
    log_loss as log_loss,
    mse_loss as mse_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    smooth_l1 as smooth_l1,
    softmax_with_cross_entropy as softmax_with_cross_entropy,
    square_error_cost as square_error_cost,
)
from refluid.layers.metric import edit_distance as edit_distance
from refluid.layers.norm import l2_normalize as l2_normalize, lrn as lrn
from refluid.layers.pad import (
    pad as pad,
    pad2d as pad2d,
    pad_constant_like as pad_constant_like,
    random_crop as random_crop,
)
from refluid.layers.pool import (
    adaptive_pool2d as adaptive_pool2d,
    adaptive_pool3d as adaptive_pool3d,
    pool2d as pool2d,
    pool3d as pool3d,
)
from refluid.layers.prior_boxes import prior_box as prior_box
from refluid.layers.ranking_loss import (
    bpr_loss as bpr_loss,
    center_loss as center_loss,
    dice_loss as dice_loss,
    margin_rank_loss as margin_rank_loss,
    npair_loss as npair_loss,
    rank_loss as rank_loss,
    sigmoid_focal_loss as sigmoid_focal_loss,
    teacher_student_sigmoid_loss as teacher_student_sigmoid_loss,
)
from refluid.layers.resize import (
    image_resize as image_resize,
    image_resize_short as image_resize_short,
    interpolate as interpolate,
    resize_bilinear as resize_bilinear,
    resize_nearest as resize_nearest,
    resize_trilinear as resize_trilinear,
)
from refluid.layers.sampled_loss import sampled_softmax_with_cross_entropy as sampled_softmax_with_cross_entropy
from refluid.layers.tensor import assign as assign, fluid_one_hot as one_hot
from refluid.layers.unary import erf as erf
from refluid.optim.schedules import (
    cosine_decay as cosine_decay,
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    linear_lr_warmup as linear_lr_warmup,
    natural_exp_decay as natural_exp_decay,
    noam_decay as noam_decay,
    piecewise_decay as piecewise_decay,
    polynomial_decay as polynomial_decay,
)
