"""paddle.nn.functional.vision: images."""

from refluid.layers.detection.anchors import (
    anchor_generator as anchor_generator,
    density_prior_box as density_prior_box,
)
from refluid.layers.detection.boxes import (
    box_clip as box_clip,
    box_coder as box_coder,
    box_decoder_and_assign as box_decoder_and_assign,
)
from refluid.layers.detection.proposals import (
    collect_fpn_proposals as collect_fpn_proposals,
    distribute_fpn_proposals as distribute_fpn_proposals,
    generate_mask_labels as generate_mask_labels,
    generate_proposal_labels as generate_proposal_labels,
    generate_proposals as generate_proposals,
    retinanet_target_assign as retinanet_target_assign,
)
from refluid.layers.detection.regions import (
    deformable_roi_pooling as deformable_roi_pooling,
    prroi_pool as prroi_pool,
    psroi_pool as psroi_pool,
    roi_align as roi_align,
    roi_perspective_transform as roi_perspective_transform,
    roi_pool as roi_pool,
)
from refluid.layers.detection.ssd import bipartite_match as bipartite_match, detection_output as detection_output
from refluid.layers.detection.suppression import retinanet_detection_output as retinanet_detection_output
from refluid.layers.detection.yolo import yolo_box as yolo_box, yolov3_loss as yolov3_loss
from refluid.layers.image import (
    affine_channel as affine_channel,
    affine_grid as affine_grid,
    fsp_matrix as fsp_matrix,
    grid_sampler as grid_sampler,
    pixel_shuffle as pixel_shuffle,
    shuffle_channel as shuffle_channel,
    space_to_depth as space_to_depth,
)
from refluid.layers.prior_boxes import prior_box as prior_box
from refluid.layers.resize import (
    image_resize as image_resize,
    image_resize_short as image_resize_short,
    resize_bilinear as resize_bilinear,
    resize_nearest as resize_nearest,
    resize_trilinear as resize_trilinear,
)
