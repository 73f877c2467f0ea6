"""Rows of quantize, dequantize and requantize; the numbers are those of 1.8.5's oneDNN kernels."""

import numpy as np
from tests.ops.cases import case

X = np.array([[-1.6, -0.5, 0.0, 0.5], [0.26, 0.25, 1.2, 2.5]], "float32")
SIGNED = np.array([[-128, -50, 0, 50], [26, 25, 120, 127]], "int8")
UNSIGNED = np.array([[0, 0, 0, 50], [26, 25, 120, 250]], "uint8")
case("quantize", Input=X, Scale=100.0, is_negative_input=True, expect=SIGNED)
case("quantize", Input=X, Scale=100.0, expect=UNSIGNED)
case("dequantize", Input=SIGNED, Scale=100.0, expect=lambda Input: Input.astype("float32") / 100)
case("dequantize", Input=UNSIGNED, Scale=100.0, expect=lambda Input: Input.astype("float32") / 100)
case("requantize", Input=SIGNED, Scale_in=100.0, Scale_out=30.0,
     expect=np.array([[-38, -15, 0, 15], [8, 8, 36, 38]], "int8"))  # fmt: skip
case("requantize", Input=UNSIGNED, Scale_in=100.0, Scale_out=30.0,
     expect=np.array([[0, 0, 0, 15], [8, 8, 36, 75]], "uint8"))  # fmt: skip
