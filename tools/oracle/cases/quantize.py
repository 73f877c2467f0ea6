"""Operators that act as if their results were integers of a few bits."""

import numpy as np

from cases.table import case, floats, rand

x = rand(3, 4, low=-2.0, high=2.0)
halves = floats(0.5, 1.5, 2.5, -0.5, -2.5, 127.0, 0.0).reshape(1, -1)
for value, bits in ((x, 8), (x, 4), (halves, 8), (0 * x, 8)):
    case("fake_quantize_abs_max", {"X": value}, {"bit_length": bits}, "Out OutScale")
case("fake_quantize_range_abs_max", {"X": x, "InScale": floats(1.0)}, {"is_test": True}, "Out")
averaged = {"X": x, "InScale": floats(1.5), "InAccum": floats(2.0), "InState": floats(3.0)}
for kind in ("fake_quantize_moving_average_abs_max", "fake_quantize_dequantize_moving_average_abs_max"):
    case(kind, averaged, {"moving_rate": 0.9, "bit_length": 8}, "Out OutScale OutState OutAccum")
    case(kind, averaged, {"is_test": True, "bit_length": 5}, "Out")
seen = {"X": x, "InAccum": floats(2.0), "InState": floats(3.0)}
case("moving_average_abs_max_scale", seen, {"moving_rate": 0.8}, "Out OutScale OutState OutAccum")
case("fake_dequantize_max_abs", {"X": np.round(60 * x), "Scale": floats(1.5)}, {"max_range": 127.0})
for value in (x, rand(2, 3, 2, 2)):
    case("fake_channel_wise_quantize_abs_max", {"X": value}, {"bit_length": 8}, "Out OutScale")
scales = [floats(1.0, 2.0, 0.5)]
case("fake_channel_wise_dequantize_max_abs", {"X": np.round(60 * x), "Scales": scales}, {"quant_bits": [8]})
image = np.round(60 * rand(2, 3, 1, 2))
case("fake_channel_wise_dequantize_max_abs", {"X": image, "Scales": scales + [floats(2.0)]}, {"quant_bits": [8, 7]})
