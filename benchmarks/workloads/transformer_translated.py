"""The encoder of transformer_fluid.py with its forward translated into a program."""

import paddle.fluid as fluid
from paddle.fluid.dygraph import declarative, to_variable
from workloads import data
from workloads.transformer_fluid import Encoder


class TranslatedEncoder(Encoder):
    forward = declarative(Encoder.forward)


def first_call():
    """Source to program, program to plan, and one run."""
    fluid.enable_dygraph(fluid.CPUPlace())
    model = TranslatedEncoder()
    x = to_variable(data.transformer()[0])

    def step():
        return model(x).numpy()

    return step
