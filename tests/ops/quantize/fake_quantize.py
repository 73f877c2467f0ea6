import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

WHY = "1.8.5 has no gradients of these either: what follows is given gradients as if they were not there"
for name in (
    "fake_quantize_abs_max", "fake_quantize_range_abs_max", "fake_quantize_moving_average_abs_max",
    "fake_quantize_dequantize_moving_average_abs_max", "moving_average_abs_max_scale",
):  # fmt: skip
    fixture(name, grad=False, why=WHY)

# Recorded from 1.8.5, one batch after the other through a window of three: largest |X|, window before, scale before
# and after.
for step, (now, window, before, after) in enumerate([
    (1.0, [0, 0, 0], 0.001, 1.0), (5.0, [0, 1, 0], 1.0, 5.0), (2.0, [0, 1, 5], 5.0, 5.0), (1.5, [2, 1, 5], 5.0, 5.0),
    (1.2, [2, 1.5, 5], 5.0, 2.0), (1.0, [2, 1.5, 1.2], 2.0, 1.5),
], 1):  # fmt: skip
    window_after = np.array(window, "float64")
    window_after[step % 3] = now
    case("fake_quantize_range_abs_max", X=np.array([[now, -now / 2]]), InScale=np.array([before]),
         Iter=np.array([step]), InScales=np.array(window, "float64"), window_size=3, batch="X", grad=False, why=WHY,
         expect={"OutScale": np.array([after]), "OutScales": window_after})  # fmt: skip

refuse("fake_quantize_abs_max", X=rand(2), bit_length=1, says="a number of bits must be from 2 to 16, got 1")
refuse("fake_quantize_range_abs_max", X=rand(2), InScale=rand(1), InScales=rand(3), window_size=3,
       says="Iter and InScales must be given, but for testing")  # fmt: skip
refuse("fake_quantize_moving_average_abs_max", X=rand(2), InScale=rand(1), says="InAccum and InState must be given")
