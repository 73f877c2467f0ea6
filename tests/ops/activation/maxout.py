"""Rows of maxout."""

from tests.ops.cases import case, rand, refuse, spread

case("maxout", X=spread(2, 4, 3, 2), groups=2, expect=lambda X: X.reshape(2, 2, 2, 3, 2).max(2))
case("maxout", X=spread(2, 3, 2, 6), groups=3, axis=3, expect=lambda X: X.reshape(2, 3, 2, 2, 3).max(4))
case("maxout", X=spread(2, 3, 2, 6), groups=3, axis=-1, expect=lambda X: X.reshape(2, 3, 2, 2, 3).max(4))
refuse("maxout", X=rand(2, 4, 3, 2), groups=3, says="maxout: X has 4 channels, which 3 groups do not divide")
refuse("maxout", X=rand(2, 4, 3, 2), groups=1, says="maxout: groups must be 2 or more, got 1")
refuse("maxout", X=rand(2, 4), groups=2, axis=2, says="maxout: axis must be in [-2, 1] for X of rank 2, got 2")
