"""params: ParamAttr, initializers, and the making of parameters in either mode."""
