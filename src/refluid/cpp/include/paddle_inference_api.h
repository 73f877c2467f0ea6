// The prediction interface of Fluid 1.8 for C++: include this, link with -lpaddle_fluid.
#pragma once

#include "paddle_analysis_config.h"
#include "paddle_api.h"
#include "paddle_mkldnn_quantizer_config.h"
#include "paddle_pass_builder.h"
