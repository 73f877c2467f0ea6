import numpy as np
from tests.ops.cases import case, fixture, ragged, refuse

fixture("detection_map")
refuse("detection_map", DetectRes=ragged([[2, 1]], 6), Label=ragged([[2, 1]], 4), class_num=3,
       says="DetectRes must be [M, 6] (class, score, box) and Label [N, 6]")  # fmt: skip
refuse("detection_map", DetectRes=ragged([[2, 1]], 6), Label=ragged([[2, 1]], 5), class_num=3, ap_type="mean",
       says="ap_type must be integral or 11point, got 'mean'")  # fmt: skip
case("detection_map", DetectRes=ragged([[1]], data=np.array([[-1.0]])), Label=ragged([[2, 1]], 5, low=1, high=2),
     class_num=3, expect={"MAP": [0.0]}, expect_lod={"AccumTruePos": [[0, 0, 0]]})  # fmt: skip

# Fluid: class 7 counts for MAP, though class_num is 3.
case("detection_map", DetectRes=ragged([[2]], data=np.array([[7, 0.9, 0, 0, 1, 1], [1, 0.8, 0, 0, 1, 1.0]])),
     Label=ragged([[2]], data=np.array([[7, 0, 0, 1, 1], [1, 0, 0, 0.1, 0.1]])), class_num=3,
     expect={"MAP": np.array([0.5]), "AccumPosCount": np.array([[0], [1], [0]], "int32")})  # fmt: skip
