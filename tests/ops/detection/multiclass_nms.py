from tests.ops.cases import fixture, rand, refuse

fixture(
    "multiclass_nms", skip={4: "[[-1]] is told for nothing found, of another width; tests/layers/test_detection.py"}
)
refuse("multiclass_nms", BBoxes=rand(2, 3, 4), Scores=rand(2, 5, 4), score_threshold=0.1, nms_top_k=-1, keep_top_k=-1,
       says="BBoxes [2, 3, 4] and Scores [2, 5, 4] do not count the same boxes")  # fmt: skip
refuse("multiclass_nms", BBoxes=rand(2, 3, 5), Scores=rand(2, 5, 3), score_threshold=0.1, nms_top_k=-1, keep_top_k=-1,
       says="a box must have 4, 8, 16, 24 or 32 numbers, got BBoxes [2, 3, 5]")  # fmt: skip
