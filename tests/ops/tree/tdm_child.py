import numpy as np
from tests.ops.cases import fixture, refuse

fixture("tdm_child")

refuse("tdm_child", X=np.array([[2]]), TreeInfo=np.zeros((2, 5), "int64"), child_nums=2,
       says="X has node 2, but TreeInfo has 0 to 1")  # fmt: skip
refuse("tdm_child", X=np.array([[1]]), TreeInfo=np.zeros((2, 4), "int64"), child_nums=2,
       says="TreeInfo must be [nodes, 3 + child_nums] with child_nums=2, got [2, 4]")  # fmt: skip
