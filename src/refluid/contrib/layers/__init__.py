"""layers: layer functions that were on their way into fluid.layers."""
