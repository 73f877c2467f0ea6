"""Learning rates over time in plain Fluid code: as operators of a program, and as objects of the imperative mode."""

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import dygraph, layers

STEPS = 11

# name -> a function that makes the rate in the program of the moment
STATIC = {
    "noam": lambda: layers.noam_decay(d_model=64, warmup_steps=4),
    "noam_scaled": lambda: layers.noam_decay(d_model=64, warmup_steps=4, learning_rate=0.5),
    "exponential": lambda: layers.exponential_decay(0.1, decay_steps=3, decay_rate=0.5),
    "exponential_staircase": lambda: layers.exponential_decay(0.1, decay_steps=3, decay_rate=0.5, staircase=True),
    "natural_exp": lambda: layers.natural_exp_decay(0.1, decay_steps=3, decay_rate=0.5),
    "natural_exp_staircase": lambda: layers.natural_exp_decay(0.1, decay_steps=3, decay_rate=0.5, staircase=True),
    "inverse_time": lambda: layers.inverse_time_decay(0.1, decay_steps=3, decay_rate=0.5),
    "inverse_time_staircase": lambda: layers.inverse_time_decay(0.1, decay_steps=3, decay_rate=0.5, staircase=True),
    "polynomial": lambda: layers.polynomial_decay(0.1, decay_steps=4, end_learning_rate=0.01, power=2.0),
    "polynomial_cycle": lambda: layers.polynomial_decay(0.1, 4, end_learning_rate=0.01, power=2.0, cycle=True),
    "piecewise": lambda: layers.piecewise_decay(boundaries=[3, 6], values=[1.0, 0.5, 0.1]),
    "cosine": lambda: layers.cosine_decay(0.1, step_each_epoch=2, epochs=4),
    "warmup_of_number": lambda: layers.linear_lr_warmup(0.1, warmup_steps=5, start_lr=0.01, end_lr=0.05),
    "warmup_of_decay": lambda: layers.linear_lr_warmup(layers.piecewise_decay([7], [0.1, 0.02]), 5, 0.0, 0.1),
}

# name -> a function that makes the object
IMPERATIVE = {
    "noam": lambda: dygraph.NoamDecay(d_model=64, warmup_steps=4),
    "noam_by_two": lambda: dygraph.NoamDecay(d_model=64, warmup_steps=4, begin=1, step=2, learning_rate=0.5),
    "exponential": lambda: dygraph.ExponentialDecay(0.1, decay_steps=3, decay_rate=0.5),
    "exponential_staircase": lambda: dygraph.ExponentialDecay(0.1, decay_steps=3, decay_rate=0.5, staircase=True),
    "natural_exp": lambda: dygraph.NaturalExpDecay(0.1, decay_steps=3, decay_rate=0.5),
    "natural_exp_staircase": lambda: dygraph.NaturalExpDecay(0.1, decay_steps=3, decay_rate=0.5, staircase=True),
    "inverse_time": lambda: dygraph.InverseTimeDecay(0.1, decay_steps=3, decay_rate=0.5),
    "inverse_time_staircase": lambda: dygraph.InverseTimeDecay(0.1, decay_steps=3, decay_rate=0.5, staircase=True),
    "polynomial": lambda: dygraph.PolynomialDecay(0.1, decay_steps=4, end_learning_rate=0.01, power=2.0),
    "polynomial_cycle": lambda: dygraph.PolynomialDecay(0.1, 4, end_learning_rate=0.01, power=2.0, cycle=True),
    "piecewise": lambda: dygraph.PiecewiseDecay(boundaries=[3, 6], values=[1.0, 0.5, 0.1], begin=0),
    "cosine": lambda: dygraph.CosineDecay(0.1, step_each_epoch=2, epochs=4),
    "warmup_of_number": lambda: dygraph.LinearLrWarmup(0.1, warmup_steps=5, start_lr=0.01, end_lr=0.05),
    "warmup_of_decay": lambda: dygraph.LinearLrWarmup(dygraph.PiecewiseDecay([7], [0.1, 0.02], 0), 5, 0.0, 0.1),
    "step": lambda: dygraph.StepDecay(0.1, step_size=3, decay_rate=0.5),
    "multi_step": lambda: dygraph.MultiStepDecay(0.1, milestones=[3, 6], decay_rate=0.5),
    "lambda": lambda: dygraph.LambdaDecay(0.1, lr_lambda=lambda epoch: 0.9**epoch),
}


def static_rates(name):
    """The values of the rate in the first runs of its program."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        rate = STATIC[name]()
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        return [float(executor.run(main, fetch_list=[rate])[0].reshape(-1)[0]) for _ in range(STEPS)]


def imperative_rates(name):
    """The rate that an optimizer uses in its first steps, with `epoch()` called after each where the object has it."""
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        layer, decay = dygraph.Linear(1, 1), IMPERATIVE[name]()
        optimizer = fluid.optimizer.SGD(decay, parameter_list=layer.parameters())
        rates = []
        for _ in range(STEPS):
            loss = layers.mean(layer(dygraph.to_variable(np.ones([1, 1], "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            rates.append(float(optimizer.current_step_lr()))
            if hasattr(decay, "epoch"):
                decay.epoch()
        return rates
