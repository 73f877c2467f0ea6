"""Rows of the update operators, each against its formula, with dense and sparse gradients."""

import numpy as np
from tests.ops.cases import Sparse, case, fixture, rand, refuse, sparse

RATE = np.array([0.1])
SIZE = (3, 2)


def positive():
    return rand(*SIZE, low=0.1)


def values(**more):
    return {"Param": rand(*SIZE), "LearningRate": RATE, **more}


def grads():
    """A dense gradient, and a sparse one that lists a row twice and leaves one out."""
    return rand(*SIZE), sparse([2, 0, 2], width=2, height=3)


def whole(Grad):
    return Grad.dense if isinstance(Grad, Sparse) else Grad


def refuses_sparse(op, **given):
    _, Grad = grads()
    refuse(
        op, Grad=Grad, **given, says="Grad is a SelectedRows, which this optimizer does not take: use is_sparse=False"
    )


for Grad in grads():
    case("sgd", **values(Grad=Grad), expect=lambda Param, Grad: Param - 0.1 * whole(Grad))
case(
    "sgd",
    Param=rand(2, 2),
    LearningRate=np.array([0.5], "float32"),
    Grad=np.ones((2, 2)),
    expect=lambda Param: Param - 0.5,
)
refuse("sgd", **values(Grad=rand(2, 3)), says="Grad has shape [2, 3], but Param has [3, 2]")
refuse(
    "sgd",
    **values(Grad=sparse([1], width=3, height=3)),
    says="Grad is a SelectedRows of shape [3, 3], but Param has [3, 2]",
)
refuse("sgd", Param=rand(3), LearningRate=rand(2), Grad=rand(3), says="LearningRate must have one element, got [2]")


def with_momentum(Param, Grad, Velocity, mu, use_nesterov):
    velocity = mu * Velocity + whole(Grad)
    return Param - 0.1 * (whole(Grad) + mu * velocity if use_nesterov else velocity), velocity


for use_nesterov in (False, True):
    for Grad in grads():
        case(
            "momentum",
            **values(Grad=Grad, Velocity=rand(*SIZE)),
            mu=0.9,
            use_nesterov=use_nesterov,
            expect=with_momentum,
        )
refuse("momentum", **values(Grad=rand(*SIZE), Velocity=rand(*SIZE)), says="momentum: attribute 'mu' is missing")


def lars(Param, Grad, Velocity, mu, lars_coeff, lars_weight_decay):
    p, g = np.linalg.norm(Param), np.linalg.norm(Grad)
    rate = 0.1 * lars_coeff * p / (g + lars_weight_decay * p) if p > 0 and g > 0 else 0.1
    velocity = mu * Velocity + rate * (Grad + lars_weight_decay * Param)
    return Param - velocity, velocity


LARS = {"Velocity": rand(*SIZE), "LearningRate": RATE, "mu": 0.9, "expect": lars}
case("lars_momentum", Param=rand(*SIZE), Grad=rand(*SIZE), **LARS)
case("lars_momentum", Param=rand(*SIZE), Grad=rand(*SIZE), lars_coeff=0.01, lars_weight_decay=0.1, **LARS)
case("lars_momentum", Param=np.zeros(SIZE), Grad=rand(*SIZE), **LARS)
case("lars_momentum", Param=rand(*SIZE), Grad=np.zeros(SIZE), **LARS)
refuses_sparse("lars_momentum", **values(Velocity=rand(*SIZE)), mu=0.9)


def adagrad(Param, Grad, Moment, epsilon):
    moment = Moment + whole(Grad) ** 2
    return Param - 0.1 * whole(Grad) / (np.sqrt(moment) + epsilon), moment


def decayed_adagrad(Param, Grad, Moment, decay, epsilon):
    moment = decay * Moment + (1 - decay) * Grad**2
    return Param - 0.1 * Grad / (np.sqrt(moment) + epsilon), moment


for Grad in grads():
    case("adagrad", **values(Grad=Grad, Moment=positive()), epsilon=0.1, expect=adagrad)
case("decayed_adagrad", **values(Grad=rand(*SIZE), Moment=positive()), epsilon=0.1, decay=0.8, expect=decayed_adagrad)
refuses_sparse("decayed_adagrad", **values(Moment=positive()))


def adamax(Param, Grad, Moment, InfNorm, Beta1Pow, beta1, beta2, epsilon):
    moment = beta1 * Moment + (1 - beta1) * Grad
    largest = np.maximum(np.abs(Grad), beta2 * InfNorm + epsilon)
    return Param - 0.1 / (1 - Beta1Pow) * moment / largest, moment, largest


ADAMAX = {"Moment": rand(*SIZE), "InfNorm": positive(), "Beta1Pow": np.array([0.9])}
case("adamax", **values(**ADAMAX, Grad=rand(*SIZE)), beta1=0.8, beta2=0.9, epsilon=0.01, expect=adamax)
refuses_sparse("adamax", **values(**ADAMAX))


def adadelta(Param, Grad, AvgSquaredGrad, AvgSquaredUpdate, rho, epsilon):
    square = rho * AvgSquaredGrad + (1 - rho) * Grad**2
    step = np.sqrt((AvgSquaredUpdate + epsilon) / (square + epsilon)) * Grad
    steps = rho * AvgSquaredUpdate + (1 - rho) * step**2
    return Param - np.sqrt((steps + epsilon) / (square + epsilon)) * Grad, square, steps


ADADELTA = {"Param": rand(*SIZE), "AvgSquaredGrad": positive(), "AvgSquaredUpdate": positive()}
case("adadelta", **ADADELTA, Grad=rand(*SIZE), rho=0.9, epsilon=0.1, expect=adadelta)
refuses_sparse("adadelta", **ADADELTA)


def rmsprop(Param, Grad, MeanSquare, MeanGrad, Moment, epsilon, decay, momentum, centered):
    g = whole(Grad)
    square = decay * MeanSquare + (1 - decay) * g**2
    mean = decay * MeanGrad + (1 - decay) * g if centered else MeanGrad
    variance = square - mean**2 if centered else square
    moment = momentum * Moment + 0.1 * g / np.sqrt(variance + epsilon)
    return Param - moment, moment, square, mean


for centered in (False, True):
    for Grad in grads():
        case(
            "rmsprop",
            **values(Grad=Grad, MeanSquare=positive(), MeanGrad=rand(*SIZE) / 10, Moment=rand(*SIZE)),
            epsilon=0.1,
            momentum=0.5,
            centered=centered,
            expect=rmsprop,
        )
refuse(
    "rmsprop",
    **values(Grad=rand(*SIZE), MeanSquare=positive(), Moment=rand(*SIZE)),
    centered=True,
    says="input MeanGrad is missing, which centered=True updates",
)


def ftrl(Param, Grad, SquaredAccumulator, LinearAccumulator, l1, l2, lr_power):
    square = SquaredAccumulator + Grad**2
    before, after = SquaredAccumulator**-lr_power, square**-lr_power
    linear = LinearAccumulator + Grad - (after - before) / 0.1 * Param
    step = (l1 * np.sign(linear) - linear) / (after / 0.1 + 2 * l2)
    return np.where(np.abs(linear) > l1, step, 0), square, linear


FTRL = {"SquaredAccumulator": positive(), "LinearAccumulator": rand(*SIZE)}
case("ftrl", **values(**FTRL, Grad=rand(*SIZE)), expect=ftrl)
case("ftrl", **values(**FTRL, Grad=rand(*SIZE)), l1=0.5, l2=0.2, lr_power=-0.7, expect=ftrl)
STILL = {"Param": np.ones(2), "Grad": np.array([0.1, 0.0]), "LearningRate": np.zeros(1)}
# As in Fluid: a learning rate of 0 makes the linear part infinite, or not a number where there is no gradient.
case(
    "ftrl",
    **STILL,
    SquaredAccumulator=np.full(2, 0.1),
    LinearAccumulator=np.full(2, 0.1),
    expect=(np.array([np.nan, 0.0]), np.array([0.11, 0.1]), np.array([-np.inf, np.nan])),
)
refuses_sparse("ftrl", **values(**FTRL))


def shrunk(p, l1, l2):
    return np.sign(p) * np.maximum(np.abs(p) - 0.1 * l1, 0) / (1 + 0.1 * l2)


def proximal_adagrad(Param, Moment, Grad, l1, l2):
    moment = Moment + Grad**2
    return shrunk(Param - 0.1 * Grad / np.sqrt(moment), l1, l2), moment


for l1 in (0.0, 3.0):
    case(
        "proximal_gd",
        **values(Grad=rand(*SIZE)),
        l1=l1,
        l2=0.2,
        expect=lambda Param, Grad, l1, l2: shrunk(Param - 0.1 * Grad, l1, l2),
    )
    case("proximal_adagrad", **values(Grad=rand(*SIZE), Moment=positive()), l1=l1, l2=0.2, expect=proximal_adagrad)
refuses_sparse("proximal_gd", **values())
refuses_sparse("proximal_adagrad", **values(Moment=positive()))


def noise_is_one_number(Param, Grad, ParamOut, clip):
    noise = Param - 0.1 * Grad / max(1, np.linalg.norm(Grad) / clip) - ParamOut
    return np.allclose(noise, noise.flat[0]) and noise.flat[0] != 0


case("dpsgd", **values(Grad=rand(*SIZE)), clip=0.5, check=noise_is_one_number)
case("dpsgd", **values(Grad=rand(*SIZE)), sigma=0.0, expect=lambda Param, Grad: Param - 0.1 * Grad)
refuses_sparse("dpsgd", **values())

for op in (
    "sgd",
    "momentum",
    "lars_momentum",
    "adagrad",
    "decayed_adagrad",
    "adamax",
    "rmsprop",
    "ftrl",
    "proximal_gd",
    "proximal_adagrad",
):
    fixture(op)
fixture("adadelta", skip={0: "recorded with outputs of their own; in place, as programs have it, Fluid gives another"})
