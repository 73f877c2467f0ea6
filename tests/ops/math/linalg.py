"""Rows of inverse and cholesky."""

import numpy as np
from tests.ops.cases import case, rand, refuse

case("inverse", Input=rand(3, 3) + 2 * np.eye(3), expect=lambda Input: np.linalg.inv(Input))
case("inverse", Input=rand(2, 3, 3) + 2 * np.eye(3), expect=lambda Input: np.linalg.inv(Input))
refuse("inverse", Input=rand(2, 3), says="inverse: Input must hold square matrices, got shape [2, 3]")
refuse("inverse", Input=np.zeros((2, 2)), says="inverse: Input holds a singular matrix, which has no inverse")

ROOT = np.tril(rand(2, 3, 3)) + 2 * np.eye(3)
SQUARE = ROOT @ ROOT.swapaxes(-1, -2)
SKEWED = {"grad": False, "why": "X must stay symmetric, which a step in one direction does not keep"}
case("cholesky", X=SQUARE, expect=ROOT, **SKEWED)
case("cholesky", X=SQUARE, upper=True, expect=ROOT.swapaxes(-1, -2), **SKEWED)
refuse("cholesky", X=rand(2, 3), says="cholesky: X must hold square matrices, got shape [2, 3]")
refuse("cholesky", X=-np.eye(2), says="cholesky: X holds a matrix that is not positive definite")
