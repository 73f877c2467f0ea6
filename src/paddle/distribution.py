"""paddle.distribution: probability distributions (1.8 has the module, and nothing in it yet)."""

from refluid.layers.distributions import (
    Categorical as Categorical,
    Distribution as Distribution,
    MultivariateNormalDiag as MultivariateNormalDiag,
    Normal as Normal,
    Uniform as Uniform,
)
