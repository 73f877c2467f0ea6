#pragma once
#include "../../../../paddle_pass_builder.h"
