"""paddle.fluid.layers.distributions: probability distributions."""

from refluid.layers.distributions import (
    Categorical as Categorical,
    Distribution as Distribution,
    MultivariateNormalDiag as MultivariateNormalDiag,
    Normal as Normal,
    Uniform as Uniform,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
