"""Rows of adam and lamb."""

import numpy as np
from tests.ops.cases import Sparse, case, fixture, rand, refuse, sparse

SIZE = (3, 2)
STATE = {
    "Param": rand(*SIZE),
    "LearningRate": np.array([0.1]),
    "Moment1": rand(*SIZE),
    "Moment2": rand(*SIZE, low=0.1),
    "Beta1Pow": np.array([0.81]),
    "Beta2Pow": np.array([0.998]),
}
DENSE = rand(*SIZE)
SPARSE = sparse([2, 0, 2], width=2, height=3)


def whole(Grad):
    return Grad.dense if isinstance(Grad, Sparse) else Grad


def adam(Param, Grad, Moment1, Moment2, Beta1Pow, Beta2Pow, beta1, beta2, epsilon, lazy_mode):
    g = whole(Grad)
    mean, square = beta1 * Moment1 + (1 - beta1) * g, beta2 * Moment2 + (1 - beta2) * g**2
    after = beta1 * Beta1Pow, beta2 * Beta2Pow
    power1, power2 = after if isinstance(Grad, Sparse) else (Beta1Pow, Beta2Pow)  # as tests/fixtures/training has it
    param = Param - 0.1 * np.sqrt(1 - power2) / (1 - power1) * mean / (np.sqrt(square) + epsilon)
    if lazy_mode and isinstance(Grad, Sparse):
        left = [row for row in range(len(Param)) if row not in Grad.index]
        param[left], mean[left], square[left] = Param[left], Moment1[left], Moment2[left]
    return param, mean, square, *after


def with_beta_tensors(Param, Grad, Moment1, Moment2, Beta1Pow, Beta2Pow, epsilon):
    return adam(Param, Grad, Moment1, Moment2, Beta1Pow, Beta2Pow, 0.7, 0.8, epsilon, False)


for Grad in (DENSE, SPARSE):
    case("adam", Grad=Grad, **STATE, expect=adam)
    case("adam", Grad=Grad, **STATE, beta1=0.8, beta2=0.9, epsilon=0.5, expect=adam)
    case("adam", Grad=Grad, **STATE, lazy_mode=True, expect=adam)
    case(
        "adam",
        Grad=Grad,
        **STATE,
        Beta1Tensor=np.array([0.7]),
        Beta2Tensor=np.array([0.8]),
        expect=with_beta_tensors,
    )
refuse("adam", Grad=rand(2, 3), **STATE, says="Grad has shape [2, 3], but Param has [3, 2]")


def lamb(Param, Grad, Moment1, Moment2, weight_decay, beta1, beta2, epsilon):
    g = whole(Grad)
    mean, square = beta1 * Moment1 + (1 - beta1) * g, beta2 * Moment2 + (1 - beta2) * g**2
    step = mean / (np.sqrt(square) + epsilon) + weight_decay * Param
    trust = np.linalg.norm(Param) / np.linalg.norm(step) if Param.any() else 1
    return Param - 0.1 * trust * step, mean, square


for Grad in (DENSE, SPARSE):
    case("lamb", Grad=Grad, **STATE, weight_decay=0.1, expect=lamb)
case("lamb", Grad=DENSE, **{**STATE, "Param": np.zeros(SIZE)}, weight_decay=0.1, expect=lamb)

fixture("adam")
fixture("lamb")
