from tests.ops.cases import fixture, rand, refuse

for name in ("fake_channel_wise_quantize_abs_max", "fake_channel_wise_dequantize_max_abs"):
    fixture(name, grad=False, why="1.8.5 has none either")

refuse("fake_channel_wise_dequantize_max_abs", X=rand(3, 2), Scales=[rand(2)], quant_bits=[8],
       says="Scales[0] must have one number for each channel of X [3, 2], got [2]")  # fmt: skip
refuse("fake_channel_wise_dequantize_max_abs", X=rand(3, 2), Scales=[rand(2), rand(1)], quant_bits=[8],
       says="each with a number in quant_bits, got 2 and [8]")  # fmt: skip
refuse("fake_channel_wise_quantize_abs_max", X=rand(3), says="X must have two axes or more, got [3]")
