"""paddle.fluid.layers.distributions: probability distributions."""

from refluid.layers.distributions import (
    Categorical as Categorical,
    MultivariateNormalDiag as MultivariateNormalDiag,
    Normal as Normal,
    Uniform as Uniform,
)
