"""paddle.fluid.param_attr: settings of parameters."""

from refluid.params.attr import ParamAttr as ParamAttr, WeightNormParamAttr as WeightNormParamAttr
