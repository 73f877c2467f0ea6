"""Rows of isfinite, isinf, isnan."""

import numpy as np
from tests.ops.cases import case, ints, sparse

FINE, INF, NAN = np.array([1.0, 2.0]), np.array([1.0, -np.inf]), np.array([np.nan, 2.0])
for name, answers in {"isfinite": (1, 0, 0), "isinf": (0, 1, 0), "isnan": (0, 0, 1)}.items():
    for x, answer in zip((FINE, INF, NAN), answers):
        case(name, X=x, expect=np.array([bool(answer)]))
    case(name, X=ints(3), expect=np.array([name == "isfinite"]))
    case(name, X=sparse([0, 2], 1, 3, data=NAN.reshape(2, 1)), expect=np.array([name == "isnan"]))
