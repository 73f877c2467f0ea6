#pragma once
#include "../../paddle_mkldnn_quantizer_config.h"
