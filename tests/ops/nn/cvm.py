from tests.ops.cases import fixture, rand, refuse

fixture("cvm", grad=False, why="the gradient hands on the counts of CVM instead of slopes")
refuse("cvm", X=rand(3, 5), CVM=rand(3, 1), says="X must be [N, 2 or more] and CVM [N, 2], got [3, 5] and [3, 1]")
