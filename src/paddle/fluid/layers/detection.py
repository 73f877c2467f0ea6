"""paddle.fluid.layers.detection: detection."""

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
from refluid.layers.detection.precision import detection_map as detection_map
from refluid.layers.detection.proposals import (
    collect_fpn_proposals as collect_fpn_proposals,
    distribute_fpn_proposals as distribute_fpn_proposals,
    generate_mask_labels as generate_mask_labels,
    generate_proposal_labels as generate_proposal_labels,
    generate_proposals as generate_proposals,
    retinanet_target_assign as retinanet_target_assign,
    rpn_target_assign as rpn_target_assign,
)
from refluid.layers.detection.regions import roi_perspective_transform as roi_perspective_transform
from refluid.layers.detection.ssd import (
    bipartite_match as bipartite_match,
    detection_output as detection_output,
    ssd_loss as ssd_loss,
    target_assign as target_assign,
)
from refluid.layers.detection.suppression import (
    locality_aware_nms as locality_aware_nms,
    matrix_nms as matrix_nms,
    multiclass_nms as multiclass_nms,
    retinanet_detection_output as retinanet_detection_output,
)
from refluid.layers.detection.yolo import yolo_box as yolo_box, yolov3_loss as yolov3_loss
from refluid.layers.prior_boxes import multi_box_head as multi_box_head, prior_box as prior_box
from refluid.layers.ranking_loss import sigmoid_focal_loss as sigmoid_focal_loss

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
