"""paddle.fluid.param_attr: settings of parameters."""

from refluid.params.attr import ParamAttr as ParamAttr, WeightNormParamAttr as WeightNormParamAttr

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
