#pragma once
#include "../../paddle_analysis_config.h"
