import numpy as np
from tests.ops.cases import case, fixture, ragged, rand, refuse

fixture("fused_elemwise_activation")
case("fused_elemwise_activation", X=rand(2, 3), Y=rand(3), functor_list=["elementwise_mul", "relu"],
     expect=lambda X, Y: X * np.maximum(Y, 0))  # fmt: skip
case("fused_elemwise_activation", X=ragged([[2, 1]], 3), Y=rand(3), functor_list=["sigmoid", "elementwise_mul"],
     expect=lambda X, Y: 1 / (1 + np.exp(-X * Y)), expect_lod="X", batch="X")  # fmt: skip

refuse("fused_elemwise_activation", X=rand(2), Y=rand(2), functor_list=["relu", "tanh"],
       says="functor_list must be one of elementwise_add, elementwise_mul and one of scale, relu, ")  # fmt: skip
refuse("fused_elemwise_activation", X=rand(2), Y=rand(2), functor_list=["elementwise_add"], says="in either order, got")
refuse("fused_elemwise_activation", X=rand(2, 3), Y=rand(2, 4), functor_list=["relu", "elementwise_add"],
       says="do not broadcast (axis=-1): 3 against 4")  # fmt: skip
case("fused_elemwise_activation", X=rand(2, 3), Y=rand(2, 3), functor_list=["tanh_grad", "elementwise_add_grad"],
     expect=lambda X, Y: np.tanh(X + Y))  # fmt: skip
