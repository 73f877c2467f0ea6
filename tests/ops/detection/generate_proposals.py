from tests.ops.cases import fixture, rand, refuse

fixture("generate_proposals")
refuse("generate_proposals", Scores=rand(1, 2, 3, 3), BboxDeltas=rand(1, 4, 3, 3), ImInfo=rand(1, 3),
       Anchors=rand(3, 3, 2, 4), Variances=rand(3, 3, 2, 4), pre_nms_topN=5, post_nms_topN=5, nms_thresh=0.5,
       min_size=1.0, eta=1.0, says="Scores and BboxDeltas must be [N, A, H, W] and [N, 4 * A, H, W]")  # fmt: skip
