from tests.ops.cases import fixture, ragged, rand, refuse

fixture("var_conv_2d")

ROW, COLUMN = ragged([[2, 1]], 1), ragged([[2, 3]], 1)
refuse("var_conv_2d", X=ragged([[4, 3]], 1), ROW=ROW, COLUMN=COLUMN, W=rand(2, 3),
       says="W must be [OutputChannel, InputChannel * KernelH * KernelW] = [1, 1], got [2, 3]")  # fmt: skip
refuse("var_conv_2d", X=ragged([[4, 3]], 2), ROW=ROW, COLUMN=COLUMN, W=rand(1, 1),
       says="X must be [total length, 1], got [7, 2]")  # fmt: skip
refuse("var_conv_2d", X=ragged([[3, 4]], 1), ROW=ROW, COLUMN=COLUMN, W=rand(1, 1),
       says="sequence 0 of X must hold 1 channels of 2 rows and 2 columns, 4 in all, got 3")  # fmt: skip
