#pragma once
#include "../../paddle_inference_api.h"
