"""One step of every optimizer's operator."""

from cases.table import case, floats, longs, rand

base = {"Param": rand(3, 2), "Grad": rand(3, 2), "LearningRate": floats(0.1)}
moment = rand(3, 2, low=0.1, high=1.0)
second = rand(3, 2, low=0.1, high=1.0)
case("sgd", base, outs="ParamOut")
for nesterov in (False, True):
    case("momentum", dict(base, Velocity=moment), {"mu": 0.9, "use_nesterov": nesterov}, "ParamOut VelocityOut")
case("lars_momentum", dict(base, Velocity=moment), {"mu": 0.9}, "ParamOut VelocityOut")
lars = {"mu": 0.9, "lars_coeff": 0.01, "lars_weight_decay": 0.1}
case("lars_momentum", dict(base, Velocity=moment), lars, "ParamOut VelocityOut")
case("adagrad", dict(base, Moment=moment), {"epsilon": 1e-3}, "ParamOut MomentOut")
case("decayed_adagrad", dict(base, Moment=moment), {"decay": 0.9, "epsilon": 1e-3}, "ParamOut MomentOut")
powers = {"Beta1Pow": floats(0.81), "Beta2Pow": floats(0.9)}
moments = dict(base, Moment1=moment, Moment2=second, **powers)
adam_outs = "ParamOut Moment1Out Moment2Out Beta1PowOut Beta2PowOut"
case("adam", moments, {}, adam_outs)
case("adam", moments, {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-2}, adam_outs)
case("adam", dict(moments, Beta1Tensor=floats(0.7), Beta2Tensor=floats(0.8)), {"epsilon": 1e-2}, adam_outs)
adamax = dict(base, Moment=moment, InfNorm=second, Beta1Pow=floats(0.81))
case("adamax", adamax, {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-2}, "ParamOut MomentOut InfNormOut")
averages = {"Param": base["Param"], "Grad": base["Grad"], "AvgSquaredGrad": moment, "AvgSquaredUpdate": second}
case("adadelta", averages, {"rho": 0.9, "epsilon": 1e-2}, "ParamOut AvgSquaredGradOut AvgSquaredUpdateOut")
squares = dict(base, MeanSquare=moment, Moment=second)
rms = {"decay": 0.9, "epsilon": 1e-2, "momentum": 0.5}
rms_alias = {"ParamOut": "Param", "MomentOut": "Moment", "MeanSquareOut": "MeanSquare"}
case("rmsprop", squares, rms, "ParamOut MomentOut MeanSquareOut", alias=rms_alias)
centered = dict(squares, MeanGrad=rand(3, 2, low=0.0, high=0.2))
case(
    "rmsprop",
    centered,
    dict(rms, centered=True),
    "ParamOut MomentOut MeanSquareOut MeanGradOut",
    alias=dict(rms_alias, MeanGradOut="MeanGrad"),
)
linear = dict(base, SquaredAccumulator=moment, LinearAccumulator=rand(3, 2, low=-0.2, high=0.2))
for settings in ({}, {"l1": 0.1, "l2": 0.2}, {"l1": 0.1, "l2": 0.2, "lr_power": -0.7}):
    case("ftrl", linear, settings, "ParamOut SquaredAccumOut LinearAccumOut")
lamb = {"weight_decay": 0.1, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-2}
case("lamb", moments, lamb, "ParamOut Moment1Out Moment2Out")
case("proximal_gd", base, {"l1": 0.1, "l2": 0.2}, "ParamOut")
case("proximal_gd", base, {"l2": 0.2}, "ParamOut")
case("proximal_adagrad", dict(base, Moment=moment), {"l1": 0.1, "l2": 0.2}, "ParamOut MomentOut")
sums = {
    "param": rand(3, 2),
    "in_sum_1": rand(3, 2),
    "in_sum_2": rand(3, 2),
    "in_sum_3": rand(3, 2),
    "in_old_num_accumulates": longs(4),
}
outs = "out_sum_1 out_sum_2 out_sum_3 out_num_accumulates out_old_num_accumulates out_num_updates"
window = {"average_window": 0.5, "max_average_window": 6, "min_average_window": 3}
for accumulated, updated in ((1, 1), (3, 3), (7, 7), (2, 16383)):
    numbers = {"in_num_accumulates": longs(accumulated), "in_num_updates": longs(updated)}
    alias = {slot: slot.replace("out_", "in_", 1) for slot in outs.split()}
    case("average_accumulates", dict(sums, **numbers), window, outs, alias=alias)
