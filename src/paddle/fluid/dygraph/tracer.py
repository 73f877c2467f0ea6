"""paddle.fluid.dygraph.tracer: what runs operators in the imperative mode."""

from refluid.eager.tracer import Tracer as Tracer
